/** Random writes to the sandbox app. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type KindName, kindNames, kindOf, kinds } from '../../src/sandbox/kinds/kinds.ts'
import { openSandboxHarness, type SandboxHarness } from './sandbox-harness.ts'

let harness: SandboxHarness
beforeAll(async () => {
  harness = await openSandboxHarness()
})
afterAll(() => harness.stop())

const writable = kindNames.filter((kind) => kindOf(kind)?.verbs.includes('update'))

const oddities = fc.constantFrom<unknown>(
  '\0',
  '\ud800',
  '',
  '1e400',
  '-0.00',
  '99999999.99',
  '9999999999.99',
  1e308,
  -1,
  0.1,
  null,
  true,
  [],
  {},
  [[]],
  'ven_0001',
  'acc_0001',
  '2026-02-30',
  '0000-01-01T00:00:00Z',
  JSON.parse('{"__proto__":{"x":1}}'),
)

test('every write, however odd, returns a record or a rejection', async () => {
  const samples = new Map<KindName, { id: string; fields: Record<string, unknown> }>()
  for (const kind of writable) {
    const [item] = await harness.listAll(kind)
    if (!item) throw new Error(`There are no ${kind}.`)
    const names = Object.keys(kinds[kind].fields.shape)
    samples.set(kind, {
      id: item.id,
      fields: Object.fromEntries(names.map((name) => [name, item[name]])),
    })
  }
  const value = fc.oneof({ weight: 3, arbitrary: oddities }, fc.jsonValue({ maxDepth: 2 }))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...writable),
      fc.array(fc.tuple(fc.nat(), value), { maxLength: 3 }),
      fc.constantFrom('POST', 'PUT'),
      async (kind, changes, method) => {
        const sample = samples.get(kind)
        const names = Object.keys(sample?.fields ?? {})
        const body: Record<string, unknown> = { ...sample?.fields }
        for (const [index, odd] of changes) body[names[index % names.length] ?? ''] = odd
        const path = method === 'POST' ? `/v1/${kind}` : `/v1/${kind}/${sample?.id}`
        const current = await harness.request('GET', `/v1/${kind}/${sample?.id}`)
        const { status, body: response } = await harness.request(method, path, {
          body,
          headers: { 'if-match': current.headers.get('etag') ?? '' },
        })
        expect([200, 201, 400, 422]).toContain(status)
        if (status >= 400) expect(typeof response.error.reason).toBe('string')
        expect(JSON.stringify(response)).not.toMatch(/NaN|\de\+/)
      },
    ),
    { numRuns: 300 },
  )
  const accounts = await harness.listAll('ledger_accounts')
  for (const { currentBalance } of accounts) expect(currentBalance).toMatch(/^-?\d+\.\d\d$/)
})
