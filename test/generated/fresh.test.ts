/** The committed generated files are those that codegen writes. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// In a child process: Vitest would load a second copy of GraphQL, as an ES module, next to the one that the
// schema is built with.
test('the generated files match the definitions', () => {
  const codegen = join(import.meta.dirname, '../../codegen.ts')
  const { status, stderr } = spawnSync(process.execPath, [codegen, '--check'], {
    encoding: 'utf8',
    timeout: 25_000,
  })
  expect(status, `${stderr}Run npm run codegen and commit what it writes.`).toBe(0)
})
