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

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context)
    if (loaded.format !== 'module-typescript') return loaded
    return { ...loaded, format: 'module', source: stripTypes(loaded.source) }
  },
})
