/** `trunkline/sdk` in an integrator's build: its types resolve and describe its input and output exactly. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSdk } from '../../tools/build.ts'

const ROOT = join(import.meta.dirname, '../..')
let project: string

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'trunkline-sdk-'))
  const installed = join(project, 'node_modules/trunkline')
  buildSdk(join(installed, 'dist/sdk'))
  cpSync(join(ROOT, 'package.json'), join(installed, 'package.json'))
})
afterAll(() => rmSync(project, { recursive: true }))

/** The compiler's errors for a page's script. */
const compile = (script: string, moduleResolution: ts.ModuleResolutionKind): readonly string[] => {
  const path = join(project, 'page.mts')
  writeFileSync(path, script)
  const isBundled = moduleResolution === ts.ModuleResolutionKind.Bundler
  const program = ts.createProgram([path], {
    strict: true,
    noEmit: true,
    moduleResolution,
    types: [],
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    module: isBundled ? ts.ModuleKind.ESNext : ts.ModuleKind.NodeNext,
  })
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

const PAGE = `
import { createTrunkline, TrunklineError, type Integration } from 'trunkline/sdk'

const trunkline = createTrunkline({ url: 'https://trunkline.example.com' })
trunkline.setToken('…')
try {
  const { success, credentialId } = await trunkline.authenticate({ category: 'crm' })
  const installed: InstallationId = await trunkline
    .install({ integrationId: 'a1', callback: ({ success }) => console.log(success) })
    .then(({ installationId }) => installationId)
  const integrations: readonly Integration[] = await trunkline.getIntegrations()
  console.log(success, credentialId, installed, integrations[0]?.workflows[0]?.name)
} catch (error) {
  if (error instanceof TrunklineError) console.log(error.code, error.details[0]?.field)
}
type InstallationId = string | undefined
`

test.each([
  ['a bundler', ts.ModuleResolutionKind.Bundler],
  ['Node', ts.ModuleResolutionKind.NodeNext],
] as const)('resolves and type-checks with %s module resolution', (_name, resolution) => {
  expect(compile(PAGE, resolution)).toEqual([])
})

test('rejects wrong arguments at compile time', () => {
  const found = compile(
    PAGE.replace("category: 'crm'", 'category: 1').replace("integrationId: 'a1', ", ''),
    ts.ModuleResolutionKind.Bundler,
  )
  expect(found).toHaveLength(2)
  expect(found[0]).toContain("'number' is not assignable to type 'string'")
  expect(found[1]).toContain('integrationId')
})
