/** Pages: whatever the order, the direction and the size, walking them gives every record once, in order. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import type { RecordRow } from '../../src/definition/mapping.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { type Order, orderFields } from '../../src/query/cursor.ts'
import { parseConnection } from '../../src/query/list-request.ts'
import { listRecords } from '../../src/store/records.ts'
import { recordRows } from '../support/random-records.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const SEED = 20_261_121
const A = 'aaaaaaaa-0000-4000-8000-000000000001'
const B = 'bbbbbbbb-0000-4000-8000-000000000002'
const FOREIGN = 'cccccccc-0000-4000-8000-000000000003'

let service: TestService
let tenant: Tenant
let stranger: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [A, B])
  stranger = await service.createTenant('production', [FOREIGN])
})
afterAll(() => service.stop())

const empty = async (resource: Resource): Promise<void> => {
  await service.database.prisma.$executeRawUnsafe(`DELETE FROM ${resource.table}`)
}

type Shown = Readonly<Record<string, unknown>> & { readonly id: string }

/** The digits times 10^20: exact, where a double is not. */
const scaled = (digits: string): bigint => {
  const [, sign, whole = '0', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(digits) ?? []
  const value = BigInt(whole + fraction.padEnd(20, '0'))
  return sign === '-' ? -value : value
}

/** Texts by their rank among all, in the order of the database's own collation. */
const ranks = async (texts: readonly string[]): Promise<ReadonlyMap<string, number>> => {
  const rows = await service.database.prisma.$queryRaw<{ value: string; rank: bigint }[]>`
    SELECT value, rank() OVER (ORDER BY value) AS rank FROM unnest(${[...new Set(texts)]}::text[]) AS u(value)`
  return new Map(rows.map(({ value, rank }) => [value, Number(rank)]))
}

/** The ids in the order that is due: records without a value last, ties by id. */
const expectedIds = async (
  resource: Resource,
  rows: readonly RecordRow[],
  { field, descending }: Order,
): Promise<readonly string[]> => {
  const kind = resource.allFields[field]?.kind
  const values = rows.map((row) => row[field] ?? null)
  const rankOf =
    kind === 'text' || kind === 'enumeration'
      ? await ranks(values.filter((value): value is string => typeof value === 'string'))
      : undefined
  const sortable = (row: RecordRow): number | bigint | null => {
    const value = row[field] ?? null
    if (value === null) return null
    if (rankOf) return rankOf.get(String(value)) ?? null
    if (kind === 'number' || kind === 'decimal') return scaled(String(value))
    return typeof value === 'number' ? value : Date.parse(String(value))
  }
  const sign = descending ? -1 : 1
  return rows
    .map((row) => ({ id: row.id, value: sortable(row) }))
    .sort((a, b) => {
      if (a.value === b.value) return sign * (a.id < b.id ? -1 : 1)
      if (a.value === null || b.value === null) return a.value === null ? 1 : -1
      return sign * (a.value < b.value ? -1 : 1)
    })
    .map(({ id }) => id)
}

interface Walk {
  readonly resource: Resource
  readonly order: Order
  readonly size: number
  readonly backward?: boolean
  readonly credentialIds?: readonly string[]
  /** Between two pages. */
  readonly meanwhile?: () => Promise<void>
}

/** Every page of a list, front to back or back to front; each but the last walked must be full. */
const walk = async (options: Walk): Promise<Shown[]> => {
  const { resource, order, size, backward = false, credentialIds = [A], meanwhile } = options
  const pages: Shown[][] = []
  for (let cursor: string | undefined; ; ) {
    const page = await listRecords(service.database, {
      resource,
      credentialIds,
      filter: { terms: [], deleted: 'left-out' },
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
    await meanwhile?.()
  }
}

const idsOf = (records: readonly { readonly id: string }[]): string[] => records.map(({ id }) => id)

// One field of each kind that a list can be ordered by.
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

test('every kind of field that can order a list is walked below', () => {
  const kinds = new Set(
    catalogue.resources.flatMap((resource) =>
      orderFields(resource).map((name) => resource.allFields[name]?.kind),
    ),
  )
  expect(kinds).toEqual(new Set(fieldsByKind.map(([kind]) => kind)))
})

describe.each(fieldsByKind)('ordered by a %s, %s.%s,', (_kind, topic, field) => {
  const resource = catalogue.get(topic)

  test('pages of every size give every record once, in order, both ways', async () => {
    const [rows = []] = fc.sample(recordRows(A, resource, { count: 23 }), {
      seed: SEED,
      numRuns: 1,
    })
    await empty(resource)
    await service.save(tenant, A, resource, rows)
    for (const descending of [false, true]) {
      const order = { field, descending }
      const expected = await expectedIds(resource, rows, order)
      for (const size of [1, 2, 3, 4, 5, 6, 7, 23])
        for (const backward of [false, true]) {
          const walked = await walk({ resource, order, size, backward })
          expect(idsOf(walked), JSON.stringify({ order, size, backward })).toEqual(expected)
        }
    }
  })

  test('random records are walked in order, both ways', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 12 }).chain((count) => recordRows(A, resource, { count })),
        fc.boolean(),
        fc.integer({ min: 1, max: 7 }),
        async (rows, descending, size) => {
          await empty(resource)
          await service.save(tenant, A, resource, rows)
          const order = { field, descending }
          const expected = await expectedIds(resource, rows, order)
          for (const backward of [false, true])
            expect(idsOf(await walk({ resource, order, size, backward }))).toEqual(expected)
        },
      ),
      { seed: SEED, numRuns: 25 },
    )
  })

  test('a record stored during the walk hides no other and shows none twice', async () => {
    const [rows = []] = fc.sample(recordRows(A, resource, { count: 40 }), {
      seed: SEED,
      numRuns: 1,
    })
    for (const descending of [false, true])
      for (const backward of [false, true]) {
        await empty(resource)
        const later = rows.slice(20)
        await service.save(tenant, A, resource, rows.slice(0, 20))
        const walked = await walk({
          resource,
          order: { field, descending },
          size: 3,
          backward,
          meanwhile: () => service.save(tenant, A, resource, later.splice(0, 2)),
        })
        const ids = idsOf(walked)
        expect(new Set(ids).size).toBe(ids.length)
        expect(ids).toEqual(expect.arrayContaining(idsOf(rows.slice(0, 20))))
      }
  })
})

describe('over REST', () => {
  const follow = async (key: string, path: string) => {
    const pages: Shown[][] = []
    for (let next: string | undefined = `/2024-03/one${path}`; next !== undefined; ) {
      const answer = await service.server.inject({
        url: next,
        headers: { authorization: `Bearer ${key}` },
      })
      expect(answer.statusCode, answer.body).toBe(200)
      const body: Record<string, Shown[]> = answer.json()
      pages.push(Object.values(body)[0] ?? [])
      const link = answer.headers.link as string | undefined
      next = link === undefined ? undefined : /^<([^>]+)>; rel="next"$/.exec(link)?.[1]
      expect(next === undefined).toBe(link === undefined)
      const cursor = answer.headers['next-cursor']
      expect(cursor).toBe(
        next === undefined ? undefined : new URL(next, 'http://host').searchParams.get('cursor'),
      )
    }
    return pages
  }

  test('the Link header leads through every order of every resource, each record once', async () => {
    for (const resource of catalogue.resources) {
      await empty(resource)
      const rows = Array.from({ length: 7 }, (_, n) => sampleRecord(A, resource, n + 1))
      await service.save(tenant, A, resource, rows)
      for (const field of orderFields(resource))
        for (const descending of [false, true]) {
          const pages = await follow(
            tenant.key,
            `${resource.restPath}?credentialId=${A}&pageSize=3&orderBy=${field}${descending ? ':desc' : ''}`,
          )
          expect(pages.map(({ length }) => length)).toEqual([3, 3, 1])
          // The times of storing are the same for all: ties, by id.
          const known = rows.map((row) => ({ ...row, createdAt: null, updatedAt: null }))
          expect(idsOf(pages.flat()), `${resource.topic} ${field}`).toEqual(
            await expectedIds(resource, known, { field, descending }),
          )
        }
    }
  })

  test('the next page keeps the filter, whatever is in it, and the size', async () => {
    const resource = catalogue.get('crm/accounts')
    await empty(resource)
    const names = ['a?b', 'a&b', 'a+b', 'a b', 'a=b', 'a#b', 'a%b', 'aéb', 'a"<>b', 'a/b;c,d']
    for (const name of names) {
      const rows = Array.from({ length: 5 }, (_, n) => ({
        ...sampleRecord(A, resource, names.indexOf(name) * 10 + n),
        accountName: name,
      }))
      await service.save(tenant, A, resource, rows)
    }
    for (const name of names)
      for (const written of [
        encodeURIComponent(name),
        name.replace(/[^?/;,ab]/g, encodeURIComponent),
      ]) {
        const pages = await follow(
          tenant.key,
          `/crm/accounts?credentialId=${A}&pageSize=2&pageNumber=1&accountName=${written}`,
        )
        expect(pages.map(({ length }) => length)).toEqual([2, 2, 1])
        expect(new Set(pages.flat().map(({ accountName }) => accountName))).toEqual(new Set([name]))
      }
  })

  test('page numbers cut the same list into the same pages', async () => {
    const resource = catalogue.get('crm/accounts')
    await empty(resource)
    const rows = Array.from({ length: 23 }, (_, n) => sampleRecord(A, resource, n + 1))
    await service.save(tenant, A, resource, rows)
    const base = `/crm/accounts?credentialId=${A}&orderBy=accountName:desc`
    const expected = await expectedIds(resource, rows, { field: 'accountName', descending: true })
    for (const size of [1, 4, 7, 100]) {
      const last = Math.ceil(rows.length / size)
      const pages: string[][] = []
      for (let number = 1; number <= last + 1; number++) {
        const answer = await service.rest(
          tenant.key,
          `${base}&pageSize=${size}&pageNumber=${number}`,
        )
        pages.push(idsOf(answer.json().accounts))
        expect(answer.headers['next-cursor'] !== undefined).toBe(number < last)
      }
      expect(pages.pop()).toEqual([])
      expect(pages.flat()).toEqual(expected)
    }
    const first = await service.rest(tenant.key, base)
    expect(idsOf(first.json().accounts)).toEqual(expected.slice(0, 50))
  })

  test('a page holds 50 records unless asked otherwise, 100 at most', async () => {
    const resource = catalogue.get('crm/stages')
    await service.save(
      tenant,
      A,
      resource,
      Array.from({ length: 120 }, (_, n) => sampleRecord(A, resource, n + 1)),
    )
    const sizes = async (query: string) =>
      (await follow(tenant.key, `/crm/stages?credentialId=${A}${query}`)).map(
        ({ length }) => length,
      )
    expect(await sizes('')).toEqual([50, 50, 20])
    expect(await sizes('&pageSize=100')).toEqual([100, 20])
  })
})

describe('a value too long for an address', () => {
  const resource = catalogue.get('crm/accounts')
  const LENGTHS = [300, 1_001, 5_000, 70_000]

  // Alike for longer than any cursor, so that only the end of the text tells them apart.
  const rows = LENGTHS.flatMap((length) =>
    [1, 2, 3].map((n) => ({
      ...sampleRecord(A, resource, length * 10 + n),
      description: `${'é'.repeat(length)}${n % 3}`,
    })),
  )

  test.each([false, true])(
    'orders a list that is walked to its end (descending: %s)',
    async (descending) => {
      await empty(resource)
      await service.save(tenant, A, resource, rows)
      const order = { field: 'description', descending }
      const expected = await expectedIds(resource, rows, order)
      for (const backward of [false, true])
        expect(idsOf(await walk({ resource, order, size: 1, backward }))).toEqual(expected)

      const direction = descending ? 'DESC' : 'ASC'
      const seen: string[] = []
      for (let cursor: string | undefined; ; ) {
        const given = cursor === undefined ? '' : `&cursor=${cursor}`
        const answer = await service.rest(
          tenant.key,
          `/crm/accounts?credentialId=${A}&pageSize=2&orderBy=description:${direction.toLowerCase()}${given}`,
        )
        expect(answer.statusCode, answer.body.slice(0, 300)).toBe(200)
        seen.push(...idsOf(answer.json().accounts))
        cursor = answer.headers['next-cursor'] as string | undefined
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

test('numbers of any length order a list that is walked to its end', async () => {
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
    await empty(resource)
    const rows = amounts.map((amount, n) => ({
      ...sampleRecord(A, resource, n + 1),
      [field]: amount,
    }))
    await service.save(tenant, A, resource, rows)
    const byValue = rows.toSorted((a, b) => Number(a[field]) - Number(b[field]))
    for (const backward of [false, true]) {
      const walked = await walk({
        resource,
        order: { field, descending: false },
        size: 1,
        backward,
      })
      expect(idsOf(walked)).toEqual(idsOf(byValue))
    }
  }
})

describe('a cursor', () => {
  const accounts = catalogue.get('crm/accounts')
  const cursorOf = async (path: string): Promise<string> => {
    const answer = await service.rest(tenant.key, path)
    return String(answer.headers['next-cursor'])
  }
  const refusal = async (path: string) => {
    const answer = await service.rest(tenant.key, path)
    return [answer.statusCode, answer.json().error?.code, answer.json().error?.details?.[0]?.field]
  }
  const refused = [400, 'INVALID_CURSOR', 'cursor']

  beforeAll(async () => {
    for (const topic of ['crm/accounts', 'crm/leads', 'accounting/accounts']) {
      const resource = catalogue.get(topic)
      await empty(resource)
      await service.save(
        tenant,
        A,
        resource,
        Array.from({ length: 5 }, (_, n) => sampleRecord(A, resource, n + 1)),
      )
    }
  })

  test('is good for a list in the same order alone', async () => {
    const base = `/crm/accounts?credentialId=${A}&pageSize=2`
    const cursor = await cursorOf(`${base}&orderBy=accountName`)
    const same = await service.rest(tenant.key, `${base}&orderBy=accountName:asc&cursor=${cursor}`)
    expect(same.statusCode).toBe(200)
    for (const other of ['', '&orderBy=accountName:desc', '&orderBy=accountOwner'])
      expect(await refusal(`${base}${other}&cursor=${cursor}`), other).toEqual(refused)
  })

  test('is good for lists of the same resource alone', async () => {
    for (const orderBy of ['createdAt', 'accountName']) {
      const query = `credentialId=${A}&pageSize=2&orderBy=${orderBy}`
      const cursor = await cursorOf(`/accounting/accounts?${query}`)
      expect(await refusal(`/crm/accounts?${query}&cursor=${cursor}`), orderBy).toEqual(refused)
      const own = await service.rest(tenant.key, `/accounting/accounts?${query}&cursor=${cursor}`)
      expect(own.statusCode).toBe(200)
    }
  })

  test('is the same over REST and GraphQL', async () => {
    const query = `credentialId=${A}&pageSize=2&orderBy=accountName`
    const cursor = await cursorOf(`/crm/accounts?${query}`)
    const { data } = await service.graphql(
      tenant.key,
      `{ crmAccounts(credentialId: "${A}", first: 2, orderBy: { field: ACCOUNT_NAME }) {
        pageInfo { startCursor endCursor hasNextPage hasPreviousPage } edges { cursor node { id } } nodes { id } } }`,
    )
    const { pageInfo, edges, nodes } = data.crmAccounts
    expect(pageInfo).toEqual({
      startCursor: edges[0].cursor,
      endCursor: cursor,
      hasNextPage: true,
      hasPreviousPage: false,
    })
    expect(edges[1].cursor).toBe(cursor)
    expect(edges.map(({ node }: { node: Shown }) => node)).toEqual(nodes)
  })

  test('and another bound a slice between them', async () => {
    const order = 'orderBy: { field: ACCOUNT_NAME, direction: DESC }'
    const all = await service.graphql(
      tenant.key,
      `{ crmAccounts(credentialId: "${A}", ${order}) { edges { cursor node { id } } } }`,
    )
    const { edges } = all.data.crmAccounts
    const slice = await service.graphql(
      tenant.key,
      `{ crmAccounts(credentialId: "${A}", ${order}, after: "${edges[0].cursor}", before: "${edges[4].cursor}") { nodes { id } } }`,
    )
    expect(slice.data.crmAccounts.nodes).toEqual(
      edges.slice(1, 4).map(({ node }: { node: Shown }) => node),
    )
  })

  test('of every record leads to the records behind it, over linked lists too', async () => {
    const notes = catalogue.get('crm/notes')
    const to = recordId(A, 'crm/accounts', '1')
    const rows = Array.from({ length: 6 }, (_, n) => ({
      ...sampleRecord(A, notes, n + 1),
      noteAccount: to,
      noteTitle: n < 2 ? null : `title ${n % 3}`,
    }))
    await service.save(tenant, A, notes, rows)
    const expected = await expectedIds(notes, rows, { field: 'noteTitle', descending: false })
    const seen: string[] = []
    for (let after: string | null = null; ; ) {
      const { data, errors } = await service.graphql(
        tenant.key,
        `query ($after: String) { crmAccount(credentialId: "${A}", id: "1") {
          notes(first: 2, after: $after, orderBy: { field: NOTE_TITLE }) { nodes { id } pageInfo { hasNextPage endCursor } } } }`,
        { after },
      )
      expect(errors).toEqual([])
      const { nodes, pageInfo } = data.crmAccount.notes
      seen.push(...idsOf(nodes))
      after = pageInfo.endCursor
      if (!pageInfo.hasNextPage) break
    }
    expect(seen).toEqual(expected)
    expect(accounts.plural).toBe('accounts')
  })
})

describe('several credentials', () => {
  test('are merged in one order, and no one else’s record is among theirs', async () => {
    for (const [topic, field] of [
      ['crm/accounts', 'accountName'],
      ['accounting/payments', 'totalAmount'],
      ['accounting/payments', 'createdAt'],
    ] as const) {
      const resource = catalogue.get(topic)
      await empty(resource)
      const samples = (credentialId: string) =>
        fc.sample(recordRows(credentialId, resource, { count: 11 }), {
          seed: SEED,
          numRuns: 1,
        })[0] ?? []
      const rows: RecordRow[] = []
      for (const credentialId of [A, B]) {
        rows.push(...samples(credentialId))
        await service.save(tenant, credentialId, resource, samples(credentialId))
      }
      await service.save(stranger, FOREIGN, resource, samples(FOREIGN))
      const shown = await walk({
        resource,
        order: { field: 'createdAt', descending: false },
        size: 100,
        credentialIds: [A, B],
      })
      // As stored: the times of storing are known only now.
      const stored = rows.map((row) => ({
        ...row,
        createdAt: shown.find(({ id }) => id === row.id)?.createdAt,
      }))
      for (const descending of [false, true])
        for (const backward of [false, true])
          for (const size of [1, 3, 7]) {
            const order = { field, descending }
            const credentialIds = [B, A]
            const walked = await walk({ resource, order, size, backward, credentialIds })
            expect(idsOf(walked)).toEqual(await expectedIds(resource, stored, order))
          }
    }
  })

  test('given twice count once', async () => {
    const resource = catalogue.get('crm/users')
    await service.save(tenant, A, resource, [sampleRecord(A, resource, 1)])
    const { data, errors } = await service.graphql(
      tenant.key,
      `{ crmUsers(credentialIds: ["${A}", "${A}", "${A.toUpperCase()}"]) { totalCount nodes { remoteId } } }`,
    )
    expect(errors).toEqual([])
    expect(data.crmUsers).toEqual({ totalCount: 1, nodes: [{ remoteId: '1' }] })
  })
})
