/**
 * Compiles the installable package into `dist/`: `npm run build`. The layout of `src/` stays, so that relative
 * URLs of files keep working.
 */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import ts from 'typescript'
import { compilerOptions as browserOptions } from '../codegen/browser.ts'
import {
  COMPILER_FILES,
  generatedFolder,
  packageFolder,
  readClient,
  replaceOnce,
} from './prisma-client.ts'

const ROOT = join(import.meta.dirname, '..')
const PRISMA_CLIENT = 'prisma-client/index.js'
const PRISMA_RUNTIME = '@prisma/client/runtime/client.js'

/** Files that are read at run time, by path in `src/` and in `dist/`. */
const ASSETS = [
  'generated/openapi.json',
  'generated/schema.graphql',
  'generated/browser',
  'connect/window/window.css',
]

const serverOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
}

const read = (path: string): string => readFileSync(path, 'utf8')

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/**
 * Compiles the service. `@prisma/client` becomes a relative import of the generated client, so that the package
 * depends on neither that package (72 MB, clients of other databases) nor Prisma's generator.
 */
const buildServer = (dist: string): void => {
  const sources = globSync('**/*.ts', {
    cwd: join(ROOT, 'src'),
    exclude: ['sdk/**', 'connect/window/**', 'generated/browser/**', 'generated/sdk-types.ts'],
  })
  for (const path of sources) {
    const { outputText } = ts.transpileModule(read(join(ROOT, 'src', path)), {
      compilerOptions: serverOptions,
    })
    const client = posix.relative(posix.dirname(path), PRISMA_CLIENT)
    const script = outputText.replaceAll(" from '@prisma/client'", ` from '${client}'`)
    write(join(dist, path.replace(/\.ts$/, '.js')), script)
  }
  for (const path of ASSETS) cpSync(join(ROOT, 'src', path), join(dist, path), { recursive: true })
}

/** Copies the generated Prisma Client and the part of its runtime that it uses, with the licence. */
const buildPrismaClient = (dist: string): void => {
  const target = join(dist, dirname(PRISMA_CLIENT))
  const client = replaceOnce(readClient(), PRISMA_RUNTIME, './runtime.js')
  write(join(dist, PRISMA_CLIENT), client)
  const runtime = read(join(packageFolder, 'runtime/client.js'))
  write(join(target, 'runtime.js'), runtime.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'))
  for (const name of COMPILER_FILES) cpSync(join(generatedFolder, name), join(target, name))
  cpSync(join(packageFolder, 'LICENSE'), join(target, 'LICENSE'))
  write(join(target, 'package.json'), '{ "type": "commonjs" }\n')
}

/** Builds the browser SDK: a package of its own without dependencies, and the export `trunkline/sdk`. */
export const buildSdk = (folder: string): void => {
  for (const path of globSync('*.ts', { cwd: join(ROOT, 'src/sdk') })) {
    const source = read(join(ROOT, 'src/sdk', path))
    const name = path.replace(/\.ts$/, '')
    const compilerOptions = browserOptions
    write(join(folder, `${name}.js`), ts.transpileModule(source, { compilerOptions }).outputText)
    const types = ts.transpileDeclaration(source, { compilerOptions }).outputText
    // The declarations of the whole service are one file, which becomes a neighbour.
    const moved = types.replaceAll(/'\.(?:\.\/generated)?(\/[\w-]+)\.ts'/g, "'.$1.js'")
    write(join(folder, `${name}.d.ts`), moved)
  }
  cpSync(join(ROOT, 'src/generated/sdk-types.ts'), join(folder, 'sdk-types.d.ts'))
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
  const { version, license } = JSON.parse(read(join(ROOT, 'package.json')))
  const manifest = {
    name: 'trunkline-sdk',
    version,
    description: 'The browser SDK of Trunkline: opens the Connect modal for an end user.',
    license,
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
  }
  write(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
}

if (import.meta.main) {
  const dist = join(ROOT, 'dist')
  rmSync(dist, { recursive: true, force: true })
  buildServer(dist)
  buildPrismaClient(dist)
  buildSdk(join(dist, 'sdk'))
}
