/** A copy of the repository in a scratch folder, in which a test may change files. */
import { execFile } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)

export interface ScratchCopy {
  readonly path: string
  /** Runs Node in the copy. @throws Error with the output of a command that fails */
  node(...args: readonly string[]): Promise<string>
  remove(): void
}

/** Packages that are copied, because Prisma writes its client next to them. */
const copied = new Set(['@prisma/client', '.prisma'])

const linkPackages = (from: string, to: string, scope = ''): void => {
  mkdirSync(to)
  for (const name of readdirSync(from)) {
    const [source, target] = [join(from, name), join(to, name)]
    if (copied.has(scope + name)) cpSync(source, target, { recursive: true })
    else if (name === '@prisma') linkPackages(source, target, `${name}/`)
    // Caches of Vite and Vitest.
    else if (!name.startsWith('.vi')) symlinkSync(source, target)
  }
}

/** Copies the files that Git knows or would add, and links the installed packages. */
export const createScratchCopy = async (env: NodeJS.ProcessEnv): Promise<ScratchCopy> => {
  const path = mkdtempSync(join(tmpdir(), 'trunkline-copy-'))
  const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: ROOT,
    maxBuffer: 2 ** 24,
  })
  for (const file of stdout.split('\0').filter((name) => name !== '')) {
    mkdirSync(dirname(join(path, file)), { recursive: true })
    copyFileSync(join(ROOT, file), join(path, file))
  }
  linkPackages(join(ROOT, 'node_modules'), join(path, 'node_modules'))
  return {
    path,
    node: async (...args) => {
      try {
        const result = await run(process.execPath, args, { cwd: path, env, maxBuffer: 2 ** 26 })
        return result.stdout
      } catch (error) {
        const { stdout, stderr } = Object(error)
        throw new Error(`node ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error })
      }
    },
    remove: () => rmSync(path, { recursive: true }),
  }
}
