/** Child processes with the environment of a user outside this clone. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')
/** The packages of `test/package/package.json`. */
export const TOOLS = join(import.meta.dirname, 'node_modules')

/** The environment without what npm and the tests add to it. */
export const createPlainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^npm_|^VITEST|^(DATABASE_URL|NODE_ENV|NODE_PATH|NODE_OPTIONS|INIT_CWD|DEV|PROD|MODE|SSR|BASE_URL|TEST)$/i.test(
          name,
        ),
    ),
  )

export interface Outcome {
  readonly out: string
  readonly err: string
  readonly code: number
}

/** Runs a program to its end. */
export const run = (
  [program = '', ...args]: readonly string[],
  {
    cwd,
    env = createPlainEnvironment(),
  }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<Outcome> =>
  new Promise((resolve) => {
    execFile(program, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ out, err, code })
    })
  })

/** Runs a program that must succeed. @returns its standard output @throws Error with its output */
export const runOk = async (
  command: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<string> => {
  const { out, err, code } = await run(command, options)
  if (code !== 0) throw new Error(`${command.join(' ')} exited with ${code}.\n${out}\n${err}`)
  return out
}
