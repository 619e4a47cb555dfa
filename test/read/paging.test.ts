/** Pagination: in every order, direction and page size, all pages together have every record once, in order. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RecordRow } from '../../src/definition/mapping.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { type Order, orderFields } from '../../src/query/cursor.ts'
import { parseConnection } from '../../src/query/list-request.ts'
import { listRecords } from '../../src/store/records/records.ts'
import { expectedIds, idsOf, type Shown } from '../support/expected-order.ts'
import { recordRows } from '../support/random-records.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const SEED = 20_261_121
const A = 'aaaaaaaa-0000-4000-8000-000000000001'
const B = 'bbbbbbbb-0000-4000-8000-000000000002'
const FOREIGN = 'cccccccc-0000-4000-8000-000000000003'

let service: TestService
let tenant: Tenant
let otherTenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [A, B])
  otherTenant = await service.createTenant('production', [FOREIGN])
})
afterAll(() => service.stop())

const deleteRecords = async (resource: Resource): Promise<void> => {
  await service.database.prisma.$executeRawUnsafe(`DELETE FROM ${resource.table}`)
}

interface Walk {
  readonly resource: Resource
  readonly order: Order
  readonly size: number
  readonly backward?: boolean
  readonly credentialIds?: readonly string[]
  /** Called between two pages. */
  readonly betweenPages?: () => Promise<void>
}

/** Reads every page of a list, forward or backward; every page but the last must be full. */
const walk = async (options: Walk): Promise<Shown[]> => {
  const { resource, order, size, backward = false, credentialIds = [A], betweenPages } = options
  const pages: Shown[][] = []
  for (let cursor: string | undefined; ; ) {
    const page = await listRecords(service.database, {
      resource,
      credentialIds,
      filter: { conditions: [], deleted: 'left-out' },
      order,
      page: parseConnection(
        resource,
        order,
        backward ? { last: size, before: cursor } : { first: size, after: cursor },
      ),
    })
    const records = page.records.map((json) => JSON.parse(json) as Shown)
    if (backward) pages.unshift(records)
    else pages.push(records)
    const more = backward ? page.hasPrevious : page.hasNext
    const edge = page.records.at(backward ? 0 : -1)
    if (!more || edge === undefined) return pages.flat()
    expect(records).toHaveLength(size)
    cursor = page.cursorOf(edge)
    await betweenPages?.()
  }
}

// One field of each kind that can order a list.
const fieldsByKind = [
  ['text', 'crm/accounts', 'accountName'],
  ['integer', 'crm/accounts', 'numberOfEmployees'],
  ['timestamp', 'crm/accounts', 'lastActivityAt'],
  ['number', 'accounting/payments', 'totalAmount'],
  ['date', 'accounting/payments', 'transactionDate'],
  ['enumeration', 'accounting/payments', 'currency'],
  ['decimal', 'commerce/orders', 'totalPrice'],
  ['text', 'commerce/orders', 'remoteId'],
] as const

test('every kind that can order a list is covered below', () => {
  const kinds = new Set(
    catalogue.resources.flatMap((resource) =>
      orderFields(resource).map((name) => resource.allFields[name]?.kind.name),
    ),
  )
  expect(kinds).toEqual(new Set(fieldsByKind.map(([kind]) => kind)))
})

describe.each(fieldsByKind)('ordered by a %s, %s.%s,', (_kind, topic, field) => {
  const resource = catalogue.get(topic)

  test('pages of every size return every record once, in order, in both directions', async () => {
    const [rows = []] = fc.sample(recordRows(A, resource, { count: 23 }), {
      seed: SEED,
      numRuns: 1,
    })
    await deleteRecords(resource)
    await service.save(tenant, A, resource, rows)
    for (const isDescending of [false, true]) {
      const order: Order = [{ field, isDescending }]
      const expected = await expectedIds(service.database, resource, rows, order)
      for (const size of [1, 2, 3, 4, 5, 6, 7, 23])
        for (const backward of [false, true]) {
          const walked = await walk({ resource, order, size, backward })
          expect(idsOf(walked), JSON.stringify({ order, size, backward })).toEqual(expected)
        }
    }
  })

  test('random records are paged in order, in both directions', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 12 }).chain((count) => recordRows(A, resource, { count })),
        fc.boolean(),
        fc.integer({ min: 1, max: 7 }),
        async (rows, isDescending, size) => {
          await deleteRecords(resource)
          await service.save(tenant, A, resource, rows)
          const order: Order = [{ field, isDescending }]
          const expected = await expectedIds(service.database, resource, rows, order)
          for (const backward of [false, true])
            expect(idsOf(await walk({ resource, order, size, backward }))).toEqual(expected)
        },
      ),
      { seed: SEED, numRuns: 25 },
    )
  })

  test('a record stored between two pages hides no other record and repeats none', async () => {
    const [rows = []] = fc.sample(recordRows(A, resource, { count: 40 }), {
      seed: SEED,
      numRuns: 1,
    })
    for (const isDescending of [false, true])
      for (const backward of [false, true]) {
        await deleteRecords(resource)
        const later = rows.slice(20)
        await service.save(tenant, A, resource, rows.slice(0, 20))
        const walked = await walk({
          resource,
          order: [{ field, isDescending }],
          size: 3,
          backward,
          betweenPages: () => service.save(tenant, A, resource, later.splice(0, 2)),
        })
        const ids = idsOf(walked)
        expect(new Set(ids).size).toBe(ids.length)
        expect(ids).toEqual(expect.arrayContaining(idsOf(rows.slice(0, 20))))
      }
  })
})

describe('a value too long for a cursor', () => {
  const resource = catalogue.get('crm/accounts')
  const LENGTHS = [300, 1_001, 5_000, 70_000]

  // Identical for longer than any cursor, so that only the end of the text distinguishes them.
  const rows = LENGTHS.flatMap((length) =>
    [1, 2, 3].map((n) => ({
      ...sampleRecord(A, resource, length * 10 + n),
      description: `${'é'.repeat(length)}${n % 3}`,
    })),
  )

  test.each([false, true])(
    'orders a list that is read to its end (descending: %s)',
    async (isDescending) => {
      await deleteRecords(resource)
      await service.save(tenant, A, resource, rows)
      const order: Order = [{ field: 'description', isDescending }]
      const expected = await expectedIds(service.database, resource, rows, order)
      for (const backward of [false, true])
        expect(idsOf(await walk({ resource, order, size: 1, backward }))).toEqual(expected)

      const direction = isDescending ? 'DESC' : 'ASC'
      const seen: string[] = []
      for (let cursor: string | undefined; ; ) {
        const input = cursor === undefined ? '' : `&cursor=${cursor}`
        const response = await service.rest(
          tenant.key,
          `/crm/accounts?credentialId=${A}&pageSize=2&orderBy=description:${direction.toLowerCase()}${input}`,
        )
        expect(response.statusCode, response.body.slice(0, 300)).toBe(200)
        seen.push(...idsOf(response.json().accounts))
        cursor = response.headers['next-cursor'] as string | undefined
        if (cursor === undefined) break
        const graph = await service.graphql(
          tenant.key,
          `query ($after: String) {
          crmAccounts(credentialId: "${A}", first: 2, after: $after, orderBy: { field: DESCRIPTION, direction: ${direction} }) { nodes { id } }
        }`,
          { after: cursor },
        )
        expect(graph.errors).toEqual([])
        expect(idsOf(graph.data.crmAccounts.nodes)).toEqual(
          expected.slice(seen.length, seen.length + 2),
        )
      }
      expect(seen).toEqual(expected)
    },
  )
})

test('numbers of any length order a list that is read to its end', async () => {
  const resource = catalogue.get('accounting/payments')
  const amounts = [
    '1e30',
    '1e45',
    '-1e45',
    '1e300',
    '-1e-300',
    '1e-300',
    '0',
    '123456789.123456789e-60',
  ]
  for (const field of ['totalAmount', 'exchangeRate']) {
    await deleteRecords(resource)
    const rows = amounts.map((amount, n) => ({
      ...sampleRecord(A, resource, n + 1),
      [field]: amount,
    }))
    await service.save(tenant, A, resource, rows)
    const byValue = rows.toSorted((a, b) => Number(a[field]) - Number(b[field]))
    for (const backward of [false, true]) {
      const walked = await walk({
        resource,
        order: [{ field, isDescending: false }],
        size: 1,
        backward,
      })
      expect(idsOf(walked)).toEqual(idsOf(byValue))
    }
  }
})

describe('an order by several fields', () => {
  const resource = catalogue.get('crm/accounts')
  const fields = ['industry', 'numberOfEmployees', 'createdAt'] as const
  /** Each field has few values and none, so that every field decides the order of some records. */
  const rowsOf = (credentialId: string): RecordRow[] =>
    Array.from({ length: 27 }, (_, n) => ({
      ...sampleRecord(credentialId, resource, n + 1),
      industry: [null, 'Retail', 'x'.repeat(3000)][n % 3] ?? null,
      numberOfEmployees: [null, 1, 2][Math.floor(n / 3) % 3] ?? null,
    }))
  const orders = [false, true].flatMap((isFirstDescending) =>
    [false, true].map(
      (isSecondDescending): Order => [
        { field: fields[0], isDescending: isFirstDescending },
        { field: fields[1], isDescending: isSecondDescending },
      ],
    ),
  )

  test('pages every record once, forward and backward, of one credential and of several', async () => {
    await deleteRecords(resource)
    for (const credentialId of [A, B])
      await service.save(tenant, credentialId, resource, rowsOf(credentialId))
    for (const credentialIds of [[A], [A, B]])
      for (const order of orders) {
        const rows = credentialIds.flatMap(rowsOf)
        const expected = await expectedIds(service.database, resource, rows, order)
        for (const backward of [false, true])
          for (const size of [1, 4, 100]) {
            const walked = await walk({ resource, order, size, backward, credentialIds })
            expect(idsOf(walked), JSON.stringify({ order, backward, size })).toEqual(expected)
          }
      }
  })

  test('is the same over REST and GraphQL, by plans and by resolvers', async () => {
    await deleteRecords(resource)
    await service.save(tenant, A, resource, rowsOf(A))
    const order: Order = [
      { field: 'numberOfEmployees', isDescending: true },
      { field: 'industry', isDescending: false },
    ]
    const expected = await expectedIds(service.database, resource, rowsOf(A), order)
    const url = `/crm/accounts?credentialId=${A}&orderBy=numberOfEmployees:desc,industry&pageSize=10`
    const first = await service.rest(tenant.key, url)
    const next = await service.rest(tenant.key, `${url}&cursor=${first.headers['next-cursor']}`)
    const overRest = [...first.json().accounts, ...next.json().accounts]
    expect(idsOf(overRest)).toEqual(expected.slice(0, 20))
    const page = (after: string, selection: string) =>
      service.graphql(
        tenant.key,
        `{ crmAccounts(credentialId: "${A}", first: 10${after}
            orderBy: [{ field: NUMBER_OF_EMPLOYEES, direction: DESC }, { field: INDUSTRY }]) {
          nodes { id ${selection} } pageInfo { endCursor } } }`,
      )
    for (const selection of ['', 'credential { id }']) {
      const { crmAccounts } = (await page('', selection)).data
      expect(idsOf(crmAccounts.nodes)).toEqual(expected.slice(0, 10))
      const after = `, after: "${crmAccounts.pageInfo.endCursor}"`
      expect(idsOf((await page(after, selection)).data.crmAccounts.nodes)).toEqual(
        expected.slice(10, 20),
      )
    }
  })

  test('has each field once, and at most five', async () => {
    const readErrorCode = async (orderBy: string) =>
      (await service.rest(tenant.key, `/crm/accounts?credentialId=${A}&orderBy=${orderBy}`)).json()
        .error?.code
    for (const orderBy of [
      'industry,industry:desc',
      'industry,',
      'industry,nope',
      'accountName,industry,website,description,accountOwner,createdAt',
    ])
      expect(await readErrorCode(orderBy), orderBy).toBe('INVALID_PARAMETER')
    const { errors } = await service.graphql(
      tenant.key,
      `{ crmAccounts(credentialId: "${A}", orderBy: [{ field: INDUSTRY }, { field: INDUSTRY }]) { totalCount } }`,
    )
    expect(errors[0]?.extensions.code).toBe('INVALID_PARAMETER')
  })
})

describe('several credentials', () => {
  test('are merged in one order, without records of other credentials', async () => {
    for (const [topic, field] of [
      ['crm/accounts', 'accountName'],
      ['accounting/payments', 'totalAmount'],
      ['accounting/payments', 'createdAt'],
    ] as const) {
      const resource = catalogue.get(topic)
      await deleteRecords(resource)
      const sampleRows = (credentialId: string) =>
        fc.sample(recordRows(credentialId, resource, { count: 11 }), {
          seed: SEED,
          numRuns: 1,
        })[0] ?? []
      const rows: RecordRow[] = []
      for (const credentialId of [A, B]) {
        rows.push(...sampleRows(credentialId))
        await service.save(tenant, credentialId, resource, sampleRows(credentialId))
      }
      await service.save(otherTenant, FOREIGN, resource, sampleRows(FOREIGN))
      const shown = await walk({
        resource,
        order: [{ field: 'createdAt', isDescending: false }],
        size: 100,
        credentialIds: [A, B],
      })
      // Read from the database, which sets the times.
      const stored = rows.map((row) => ({
        ...row,
        createdAt: shown.find(({ id }) => id === row.id)?.createdAt,
      }))
      for (const isDescending of [false, true])
        for (const backward of [false, true])
          for (const size of [1, 3, 7]) {
            const order: Order = [{ field, isDescending }]
            const credentialIds = [B, A]
            const walked = await walk({ resource, order, size, backward, credentialIds })
            expect(idsOf(walked)).toEqual(
              await expectedIds(service.database, resource, stored, order),
            )
          }
    }
  })

  test('that are repeated count once', async () => {
    const resource = catalogue.get('crm/users')
    await deleteRecords(resource)
    await service.save(tenant, A, resource, [sampleRecord(A, resource, 1)])
    const { data, errors } = await service.graphql(
      tenant.key,
      `{ crmUsers(credentialIds: ["${A}", "${A}", "${A.toUpperCase()}"]) { totalCount nodes { remoteId } } }`,
    )
    expect(errors).toEqual([])
    expect(data.crmUsers).toEqual({ totalCount: 1, nodes: [{ remoteId: '1' }] })
  })
})
