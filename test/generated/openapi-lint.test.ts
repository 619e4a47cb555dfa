/** Two linters with their strictest rules report no error and no warning in the OpenAPI document. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

const HOME = join(import.meta.dirname, '../openapi-lint')
const DOCUMENT = join(import.meta.dirname, '../../src/generated/openapi.json')
const REDOCLY = 'node_modules/@redocly/cli/bin/cli.js'
const SPECTRAL = 'node_modules/@stoplight/spectral-cli/dist/index.js'

const isInstalled = [REDOCLY, SPECTRAL].every((program) => existsSync(join(HOME, program)))
const missing = isInstalled
  ? undefined
  : 'The linters are not installed: npm ci --prefix test/openapi-lint'
if (missing && process.env.CI !== undefined) throw new Error(missing)
if (missing) console.warn(missing)

/** The linter's report on a document, as JSON. */
const lint = async (program: string, ...input: readonly string[]): Promise<string> => {
  const run = promisify(execFile)(process.execPath, [program, 'lint', ...input], {
    cwd: HOME,
    // Disables telemetry and the check for a newer version.
    env: {
      ...process.env,
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      NO_UPDATE_NOTIFIER: '1',
    },
    maxBuffer: 64 * 1024 * 1024,
    timeout: 60_000,
  })
  // A linter exits with a non-zero code if it finds faults; its output lists them.
  const { stdout } = await run.catch((failed: unknown) => {
    if (failed instanceof Error && 'stdout' in failed && failed.stdout)
      return { stdout: String(failed.stdout) }
    throw failed
  })
  return stdout
}

const lintWithRedocly = async (document: string): Promise<readonly string[]> => {
  const printed = await lint(REDOCLY, document, '--config', 'redocly.yaml', '--format', 'json')
  const { problems } = JSON.parse(printed) as {
    problems: { ruleId: string; message: string; location: { pointer: string }[] }[]
  }
  return problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
  )
}

const lintWithSpectral = async (document: string): Promise<readonly string[]> => {
  const input = ['--ruleset', 'spectral.yaml', '--format', 'json', '--quiet']
  const printed = await lint(SPECTRAL, document, ...input)
  const problems = JSON.parse(printed) as { code: string; message: string; path: string[] }[]
  return problems.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`)
}

describe.skipIf(missing)(`the linters${missing ? `: ${missing}` : ''}`, () => {
  test.each([
    ['Redocly', lintWithRedocly],
    ['Spectral', lintWithSpectral],
  ])(
    '%s finds nothing in the document',
    async (_name, findProblems) => {
      expect(await findProblems(DOCUMENT)).toEqual([])
    },
    90_000,
  )

  test.each([
    ['Redocly', lintWithRedocly, /^operation-operationId-unique: /],
    ['Spectral', lintWithSpectral, /^operation-operationId-unique: /],
  ])(
    '%s finds an existing fault',
    async (_name, findProblems, fault) => {
      const faulty = join(HOME, 'faulty.json')
      expect(await findProblems(faulty)).toContainEqual(expect.stringMatching(fault))
    },
    90_000,
  )
})
