/** Large GraphQL documents: neither their size nor their number blocks the process or fills its memory. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { expectError } from '../support/expected-error.ts'
import { graphqlRequest } from '../support/graphql-request.ts'
import { selectAllFields } from '../support/selection.ts'
import { startService, type TestService } from '../support/service.ts'

const KIB = 1024
const MANY_MS = 600_000

let service: TestService
let token: string

beforeAll(async () => {
  service = await startService()
  const tenant = await service.createTenant('development', [])
  token = (await service.tokens.issue(tenant)).token
})
afterAll(() => service.stop())

const send = (query: string, more: object = {}, accept = 'application/graphql-response+json') =>
  service.server.inject(graphqlRequest(token, { query, ...more }, { accept }))

const repeat = (count: number, text: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ')

describe('a document longer than 64 KiB', () => {
  const documentOf = (length: number) => `{ __typename } #${'x'.repeat(length - 16)}`
  const [fits, tooLong] = [documentOf(64 * KIB), documentOf(64 * KIB + 1)]

  test('is rejected over POST', async () => {
    for (const _run of [1, 2, 3]) {
      expect((await send(fits)).json()).toEqual({ data: { __typename: 'Query' } })
      expectError(await send(tooLong), { code: 'QUERY_TOO_COMPLEX' })
      expectError(await send('x'.repeat(900 * KIB)), { code: 'QUERY_TOO_COMPLEX' })
    }
  })

  test('is rejected over GET', async () => {
    const response = await service.server.inject({
      url: `/graphql?${new URLSearchParams({ query: tooLong })}`,
      headers: { authorization: `Bearer ${token}`, accept: 'application/graphql-response+json' },
    })
    expectError(response, { code: 'QUERY_TOO_COMPLEX' })
  })

  test('is rejected over Server-Sent Events', async () => {
    const { body } = await send(tooLong, {}, 'text/event-stream')
    expect(body).toContain('QUERY_TOO_COMPLEX')
  })
})

test('a document of more than 4,000 lines is rejected, whatever the line terminator', async () => {
  for (const end of ['\n', '\r', '\r\n']) {
    expect((await send(`${end.repeat(3999)}{ __typename }`)).statusCode).toBe(200)
    expectError(await send(`${end.repeat(4000)}{ __typename }`), { code: 'QUERY_TOO_COMPLEX' })
  }
})

test('a query for every field of the largest records, with their links, succeeds', async () => {
  // A document as a client generates it: a page of each resource, with all fields of its records.
  const sizes = catalogue.resources.map((resource) => ({
    resource,
    selection: selectAllFields(resource),
  }))
  for (const { resource, selection } of sizes) {
    const typeName = resource.typeName
    const node = `node(id: "1") { ...All ... on ${typeName} { copy: id ...All } }`
    const response = await send(`{ ${node} } fragment All on ${typeName} { ${selection} }`)
    expect(response.body, resource.topic).not.toContain('QUERY_TOO_COMPLEX')
    expect(response.body, resource.topic).not.toContain('BAD_REQUEST')
  }
  const together = sizes.map(
    ({ resource, selection }, n) =>
      `r${n}: node(id: "1") { ... on ${resource.typeName} { ${selection} } }`,
  )
  const result = await send(`{ ${together.join('\n')} }`)
  expect(result.body).not.toContain('QUERY_TOO_COMPLEX')
  expect(result.body).not.toContain('BAD_REQUEST')
})

describe('the documents that take the most work', () => {
  const WORST: [what: string, query: string, more?: object][] = [
    ['one field repeated', `{ ${'__typename '.repeat(3900)} }`],
    ['one field repeated, within the limit', `{ ${'__typename '.repeat(700)} }`],
    ['fields with arguments', `{ ${repeat(300, () => 'node(id: "1") { id }')} }`],
    [
      'inline fragments',
      `{ node(id: "1") { ${repeat(440, (n) => `... on ${n % 2 ? 'CrmAccount' : 'CrmNote'} { id remoteId createdAt updatedAt }`)} } }`,
    ],
    [
      'fragments that spread all others',
      `{ ...F0 } ${repeat(60, (n) => `fragment F${n} on Query { ${repeat(30, (m) => `...F${(n + m) % 60}`)} }`)}`,
    ],
    [
      'fragments that are spread together',
      `{ ${repeat(190, (n) => `...F${n}`)} } ${repeat(190, (n) => `fragment F${n} on Query { a: __typename b: __typename }`)}`,
    ],
    ['errors on the last line', `${'\n'.repeat(60_000)}{ ${repeat(900, (n) => `n${n}`)} }`],
    ['misspelled names', `{ ${repeat(1500, (n) => `crmAccountz${n}`)} }`],
    [
      'misspelled types',
      `${repeat(500, (n) => `fragment F${n} on AccountingPurchaseOrderx${n} { id }`)} { ...F1 }`,
    ],
    ['variables defined twice', `query (${repeat(900, () => '$a: Int')}) { __typename }`],
    [
      '180,000 values that do not fit',
      'query ($ids: [ID!]) { crmAccounts(credentialIds: $ids) { totalCount } }',
      { variables: { ids: Array(180_000).fill(null) } },
    ],
    [
      'the schema behind aliases',
      `{ ${repeat(50, (n) => `a${n}: __schema { types { name fields { name type { name } } } }`)} }`,
    ],
  ]

  test.each(WORST)(
    '%s: other requests are answered in the meantime',
    async (_what, query, more) => {
      const started = performance.now()
      const worst = Promise.all([1, 2, 3, 4, 5].map((n) => send(`${query} #${n}`, more)))
      const other = await send('{ __typename }')
      expect(other.statusCode).toBe(200)
      for (const response of await worst) expect(response.statusCode).toBeLessThan(500)
      // These took 10 s and more each; documents within the limits take tenths of a second.
      expect(performance.now() - started).toBeLessThan(20_000)
    },
  )

  test('repeated fields are rejected with a code that names them', async () => {
    for (const count of [1100, 2000, 3900])
      expectError(await send(`{ ${'__typename '.repeat(count)} }`), { code: 'QUERY_TOO_COMPLEX' })
  })

  test('a document gets at most ten errors and a note that there were more', async () => {
    const { errors } = (await send(`{ ${repeat(900, (n) => `n${n}`)} }`)).json()
    expect(errors).toHaveLength(11)
  })
})

describe('3,000 distinct documents of 60 KB do not grow the memory past its bound', () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const heapMb = (): number => {
    collectGarbage()
    return process.memoryUsage().heapUsed / 2 ** 20
  }
  const DOCUMENTS_PER_ROUND = 750
  // Two caches of 32 MiB, and the garbage of a run.
  const CACHED_MB = 120
  const NO_GROWTH_MB = 25

  const padding = 'x'.repeat(57 * KIB)
  const expensive =
    'crmAccounts(credentialId: "1", first: 100) { nodes { notes(first: 100) { nodes { id a: id b: id c: id d: id } } } }'
  const aliasedFields = (n: number) => repeat(150, (m) => `${'x'.repeat(370)}${n}_${m}: __typename`)

  test.each<[string, (n: number) => string, number, number]>([
    // The second run of a valid document compiles it.
    ['valid', (n) => `{ ${aliasedFields(n)} }`, 2, CACHED_MB],
    [
      'too costly',
      (n) => `{ ${expensive} ${repeat(200, (m) => `a${m}: __typename`)} } # ${padding}${n}`,
      1,
      CACHED_MB,
    ],
    ['not valid', (n) => `{ ${aliasedFields(n)} nope${n} }`, 1, NO_GROWTH_MB],
    ['that do not parse', (n) => `{ ${repeat(300, String)} # ${padding}${n}`, 1, NO_GROWTH_MB],
  ])(
    '%s',
    async (_what, documentOf, runs, limitMb) => {
      await send('{ __typename }')
      const before = heapMb()
      for (let n = 0; n < DOCUMENTS_PER_ROUND; n++) {
        const query = documentOf(n)
        for (let run = 0; run < runs; run++)
          expect((await send(query)).statusCode).toBeLessThan(500)
      }
      expect(heapMb() - before).toBeLessThan(limitMb)
    },
    MANY_MS,
  )
})
