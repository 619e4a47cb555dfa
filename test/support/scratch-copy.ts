/** A copy of the repository in a scratch folder; a test may change its files. */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../..')
const MAX_OUTPUT_BYTES = 2 ** 26
const run = promisify(execFile)

export interface ScratchCopy {
  readonly path: string
  /** Runs npm in the copy: `run`, `-s`, `check`. @throws Error with the output if it fails */
  npm(...args: readonly string[]): Promise<void>
  remove(): void
}

/** Copies the files that Git knows or would add, and links the installed packages. */
export const createScratchCopy = async (databaseUrl: string): Promise<ScratchCopy> => {
  const path = mkdtempSync(join(tmpdir(), 'trunkline-copy-'))
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '-z']
  const { stdout } = await run('git', listed, { cwd: ROOT, maxBuffer: MAX_OUTPUT_BYTES })
  for (const file of stdout.split('\0').filter((name) => name !== '')) {
    mkdirSync(dirname(join(path, file)), { recursive: true })
    copyFileSync(join(ROOT, file), join(path, file))
  }
  mkdirSync(join(path, 'node_modules'))
  // Each copy has caches of its own.
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('.vite'))
      symlinkSync(join(ROOT, 'node_modules', name), join(path, 'node_modules', name))
  // A test run inside the copy must not take the settings of this one.
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|TEST$)/.test(name))
  const env = { ...Object.fromEntries(own), DATABASE_URL: databaseUrl }
  return {
    path,
    npm: async (...args) => {
      await run('npm', args, { cwd: path, env, maxBuffer: MAX_OUTPUT_BYTES }).catch((error) => {
        const { stdout, stderr } = Object(error)
        throw new Error(`npm ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error })
      })
    },
    remove: () => rmSync(path, { recursive: true }),
  }
}
