/**
 * Makes the generated Prisma Client read its compiler from a file. Run by `npm ci`, and used by the build. As generated,
 * the client imports the compiler as a text of 2.3 MB, which stays in memory.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** The folder of the installed `@prisma/client`. */
export const packageFolder = join(dirname(require.resolve('@prisma/client/runtime/client')), '..')

/** The folder of the generated client. */
export const generatedFolder = join(packageFolder, '../../.prisma/client')

/** The compiler, by name in the folder of the generated client. */
export const COMPILER_FILES = ['query_compiler_small_bg.js', 'query_compiler_small_bg.wasm']

const IMPORT = `const { Buffer } = require('node:buffer')
        const { wasm } = require('./query_compiler_small_bg.wasm-base64.js')
        const queryCompilerWasmFileBytes = Buffer.from(wasm, 'base64')
`
const READ = `const queryCompilerWasmFileBytes = require('node:fs').readFileSync(require('node:path').join(__dirname, 'query_compiler_small_bg.wasm'))
`

/** Replaces the only occurrence of a text. @throws Error if there are none or several */
export const replaceOnce = (text: string, old: string, replacement: string): string => {
  const [before, after, ...more] = text.split(old)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`Expected one occurrence of ${old}.`)
  return before + replacement + after
}

/** The code of the generated client, which reads the compiler from a file. */
export const readClient = (): string => {
  const client = readFileSync(join(generatedFolder, 'index.js'), 'utf8')
  return client.includes(READ) ? client : replaceOnce(client, IMPORT, READ)
}

if (import.meta.main) writeFileSync(join(generatedFolder, 'index.js'), readClient())
