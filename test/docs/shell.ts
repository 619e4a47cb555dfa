/** A shell that runs the commands of a page as pasted, with the variables that the service prints. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ROOT } from './pages.ts'

/**
 * The npm commands of the pages that this shell skips, because they install packages or take minutes. `.ci/run`
 * or another test runs them.
 */
const RUN_ELSEWHERE = ['ci', 'start', 'test', 'run bench', 'run check', 'run codegen', 'run format']

// A response that is not a success fails the block; a stream is read for three seconds.
const CURL = `#!/bin/bash
real=$(PATH=\${PATH#*:} command -v curl)
if [[ " $* " == *" -N "* ]]; then
  "$real" --silent --show-error --fail-with-body --max-time 3 "$@" && exit 1
  exit $(( $? == 28 ? 0 : 1 ))
fi
exec "$real" --silent --show-error --fail-with-body "$@"
`

const NPM = `#!/bin/bash
case "$*" in
  ${RUN_ELSEWHERE.map((command) => `'${command}'`).join('|')}) exit 0 ;;
  'run trunkline '*) shift 2; exec "$NODE" "$ROOT/src/cli.ts" "$@" ;;
  *) echo "This test does not know the command: npm $*" >&2; exit 1 ;;
esac
`

export interface ShellResult {
  readonly code: number | null
  /** Standard output and standard error. */
  readonly output: string
}

export interface Shell {
  run(script: string): Promise<ShellResult>
  close(): void
}

/** Opens a shell whose working directory is an empty folder. */
export const openShell = (variables: Readonly<Record<string, string>>): Shell => {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-docs-'))
  const programs = mkdtempSync(join(tmpdir(), 'trunkline-docs-programs-'))
  for (const [name, source] of [
    ['curl', CURL],
    ['npm', NPM],
  ] as const) {
    writeFileSync(join(programs, name), source)
    chmodSync(join(programs, name), 0o755)
  }
  return {
    run: async (script) => {
      const child = spawn('bash', ['-euo', 'pipefail', '-c', `exec 2>&1\n${script}`], {
        cwd: folder,
        env: {
          ...process.env,
          ...variables,
          ROOT,
          NODE: process.execPath,
          PATH: [programs, process.env.PATH].join(delimiter),
        },
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
      const [output, code] = await Promise.all([text(child.stdout), ended])
      return { code, output }
    },
    close: () => {
      for (const path of [folder, programs]) rmSync(path, { recursive: true })
    },
  }
}
