import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// As a process of its own: Vitest would load GraphQL a second time, as an ES module, beside the one that
// the schema is built with.
test('the generated files say what the definitions say', () => {
  const codegen = join(import.meta.dirname, '../../codegen.ts')
  const { status, stderr } = spawnSync(process.execPath, [codegen, '--check'], {
    encoding: 'utf8',
    timeout: 25_000,
  })
  expect(status, `${stderr}Run npm run codegen and commit what it writes.`).toBe(0)
})
