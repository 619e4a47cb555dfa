/** Cursors and page numbers: followed to the end of a list, or rejected in a list that they do not belong to. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { orderFields } from '../../src/query/cursor.ts'
import { expectedIds, idsOf, type Shown } from '../support/expected-order.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const A = 'aaaaaaaa-0000-4000-8000-000000000001'

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [A])
})
afterAll(() => service.stop())

const deleteRecords = async (resource: Resource): Promise<void> => {
  await service.database.prisma.$executeRawUnsafe(`DELETE FROM ${resource.table}`)
}

describe('over REST', () => {
  const follow = async (key: string, path: string) => {
    const pages: Shown[][] = []
    for (let next: string | undefined = `/2024-03/one${path}`; next !== undefined; ) {
      const response = await service.server.inject({
        url: next,
        headers: { authorization: `Bearer ${key}` },
      })
      expect(response.statusCode, response.body).toBe(200)
      const body: Record<string, Shown[]> = response.json()
      pages.push(Object.values(body)[0] ?? [])
      const link = response.headers.link as string | undefined
      next = link === undefined ? undefined : /^<([^>]+)>; rel="next"$/.exec(link)?.[1]
      expect(next === undefined).toBe(link === undefined)
      const cursor = response.headers['next-cursor']
      expect(cursor).toBe(
        next === undefined ? undefined : new URL(next, 'http://host').searchParams.get('cursor'),
      )
    }
    return pages
  }

  test('the Link header leads through every order of every resource, each record once', async () => {
    for (const resource of catalogue.resources) {
      await deleteRecords(resource)
      const rows = Array.from({ length: 7 }, (_, n) => sampleRecord(A, resource, n + 1))
      await service.save(tenant, A, resource, rows)
      for (const field of orderFields(resource))
        for (const isDescending of [false, true]) {
          const pages = await follow(
            tenant.key,
            `${resource.restPath}?credentialId=${A}&pageSize=3&orderBy=${field}${isDescending ? ':desc' : ''}`,
          )
          expect(pages.map(({ length }) => length)).toEqual([3, 3, 1])
          // All records are stored at the same time, so they are ordered by id.
          const known = rows.map((row) => ({ ...row, createdAt: null, updatedAt: null }))
          expect(idsOf(pages.flat()), `${resource.topic} ${field}`).toEqual(
            await expectedIds(service.database, resource, known, [{ field, isDescending }]),
          )
        }
    }
  })

  test('the next page keeps the filter, with any characters, and the page size', async () => {
    const resource = catalogue.get('crm/accounts')
    await deleteRecords(resource)
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

  test('page numbers divide a list into the same pages', async () => {
    const resource = catalogue.get('crm/accounts')
    await deleteRecords(resource)
    const rows = Array.from({ length: 23 }, (_, n) => sampleRecord(A, resource, n + 1))
    await service.save(tenant, A, resource, rows)
    const base = `/crm/accounts?credentialId=${A}&orderBy=accountName:desc`
    const expected = await expectedIds(service.database, resource, rows, [
      { field: 'accountName', isDescending: true },
    ])
    for (const size of [1, 4, 7, 100]) {
      const last = Math.ceil(rows.length / size)
      const pages: string[][] = []
      for (let number = 1; number <= last + 1; number++) {
        const result = await service.rest(
          tenant.key,
          `${base}&pageSize=${size}&pageNumber=${number}`,
        )
        pages.push(idsOf(result.json().accounts))
        expect(result.headers['next-cursor'] !== undefined).toBe(number < last)
      }
      expect(pages.pop()).toEqual([])
      expect(pages.flat()).toEqual(expected)
    }
    const first = await service.rest(tenant.key, base)
    expect(idsOf(first.json().accounts)).toEqual(expected.slice(0, 50))
  })

  test('a page holds 50 records by default and at most 100', async () => {
    const resource = catalogue.get('crm/stages')
    await service.save(
      tenant,
      A,
      resource,
      Array.from({ length: 120 }, (_, n) => sampleRecord(A, resource, n + 1)),
    )
    const listPageSizes = async (query: string) =>
      (await follow(tenant.key, `/crm/stages?credentialId=${A}${query}`)).map(
        ({ length }) => length,
      )
    expect(await listPageSizes('')).toEqual([50, 50, 20])
    expect(await listPageSizes('&pageSize=100')).toEqual([100, 20])
  })
})

describe('a cursor', () => {
  const cursorOf = async (path: string): Promise<string> => {
    const response = await service.rest(tenant.key, path)
    return String(response.headers['next-cursor'])
  }
  const readError = async (path: string) => {
    const result = await service.rest(tenant.key, path)
    return [result.statusCode, result.json().error?.code, result.json().error?.details?.[0]?.field]
  }
  const refused = [400, 'INVALID_CURSOR', 'cursor']

  beforeAll(async () => {
    for (const topic of ['crm/accounts', 'crm/leads', 'accounting/accounts']) {
      const resource = catalogue.get(topic)
      await deleteRecords(resource)
      await service.save(
        tenant,
        A,
        resource,
        Array.from({ length: 5 }, (_, n) => sampleRecord(A, resource, n + 1)),
      )
    }
  })

  test('is valid only for a list in the same order', async () => {
    const base = `/crm/accounts?credentialId=${A}&pageSize=2`
    const cursor = await cursorOf(`${base}&orderBy=accountName`)
    const same = await service.rest(tenant.key, `${base}&orderBy=accountName:asc&cursor=${cursor}`)
    expect(same.statusCode).toBe(200)
    for (const other of ['', '&orderBy=accountName:desc', '&orderBy=accountOwner'])
      expect(await readError(`${base}${other}&cursor=${cursor}`), other).toEqual(refused)
  })

  test('is valid only for lists of the same resource', async () => {
    for (const orderBy of ['createdAt', 'accountName']) {
      const query = `credentialId=${A}&pageSize=2&orderBy=${orderBy}`
      const cursor = await cursorOf(`/accounting/accounts?${query}`)
      expect(await readError(`/crm/accounts?${query}&cursor=${cursor}`), orderBy).toEqual(refused)
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

  test('combines with a second one to bound a slice', async () => {
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

  test('of every record leads to the records after it, also in linked lists', async () => {
    const notes = catalogue.get('crm/notes')
    const to = recordId(A, 'crm/accounts', '1')
    const rows = Array.from({ length: 6 }, (_, n) => ({
      ...sampleRecord(A, notes, n + 1),
      noteAccount: to,
      noteTitle: n < 2 ? null : `title ${n % 3}`,
    }))
    await service.save(tenant, A, notes, rows)
    const expected = await expectedIds(service.database, notes, rows, [
      { field: 'noteTitle', isDescending: false },
    ])
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
  })
})
