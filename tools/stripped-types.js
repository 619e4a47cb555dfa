/**
 * Loads the TypeScript of a clone without its types from a cache. Preloaded by `npm start`, and JavaScript, because
 * loading Node's TypeScript compiler takes longer than reading the cache. Node's own cache of compiled modules keeps
 * every file that it reads in memory until the process ends: measured, 19 MB.
 */
import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../node_modules/.cache/stripped-types', import.meta.url))

const save = (path, script) => {
  try {
    mkdirSync(FOLDER, { recursive: true })
    // Another process that starts now must not read half of it.
    const temporary = `${path}.${process.pid}`
    writeFileSync(temporary, script)
    renameSync(temporary, path)
  } catch {
    // A folder that cannot be written is ignored: every start then strips the types again.
  }
}

const stripTypes = (source) => {
  const path = `${FOLDER}/${hash('sha256', source)}.js`
  try {
    return readFileSync(path, 'utf8')
  } catch {
    const script = stripTypeScriptTypes(source.toString())
    save(path, script)
    return script
  }
}

// Node also looks for symbolic links and for the format of each file, which took 90 ms of processor time.
registerHooks({
  resolve: (specifier, context, nextResolve) => {
    const isOurs = specifier.startsWith('.') && specifier.endsWith('.ts')
    if (!isOurs) return nextResolve(specifier, context)
    return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
  },
  load: (url, context, nextLoad) => {
    if (!url.endsWith('.ts')) return nextLoad(url, context)
    const source = stripTypes(readFileSync(fileURLToPath(url)))
    return { format: 'module', source, shortCircuit: true }
  },
})
