/** The HubSpot connector without a HubSpot: listings of an in-memory table, and records by id. */
import { describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/hubspot/manifest.ts'
import type { AppRequest, AppResponse, Json } from '../../src/definition/connector.ts'
import { valuesOf } from '../../src/definition/raw-values.ts'
import { runSteps } from '../support/steps.ts'
import { context, findResource, lineOf, okResponse } from './hubspot/fixtures.ts'

type Send = (request: AppRequest) => AppResponse

/** All pages of a listing. Each cursor is stored as JSON. */
const listAll = (
  name: string,
  since: string | undefined,
  send: Send,
  account: object = context,
) => {
  const { listRequest, readList } = findResource(name)
  const records: unknown[] = []
  const deleted: string[] = []
  const requests: AppRequest[] = []
  const cursors: (Json | undefined)[] = [undefined]
  while (cursors.length > 0) {
    const position = { since, cursor: cursors.shift(), context: account }
    const request = listRequest(position)
    requests.push(request)
    const page = readList(send(request), position)
    expect(page.partitions).toBeUndefined()
    records.push(...page.records)
    deleted.push(...(page.deleted ?? []))
    if (page.next !== undefined) cursors.push(JSON.parse(JSON.stringify(page.next)))
  }
  return { records, deleted, requests }
}

/** Objects of one type, and the associations of each with companies. */
interface Row {
  readonly id: string
  readonly modifiedMs: number
  readonly companies?: readonly string[]
}

const SEARCH_RESULTS = 10_000

/** An account with rows of contacts, sorted by id, which serves what HubSpot documents. */
const accountOf = (rows: readonly Row[]): Send => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const rawOf = ({ id }: Row) => ({ id, properties: { lastname: `Person ${id}` }, archived: false })
  const search = (body: Readonly<Record<string, unknown>>) => {
    const { filterGroups, after, limit } = body as {
      filterGroups: { filters: { propertyName: string; operator: string; value: string }[] }[]
      after?: string
      limit: number
    }
    if (limit > 200 || Number(after ?? 0) >= SEARCH_RESULTS) throw new Error('over the limit')
    const found = rows.filter(({ id, modifiedMs }) =>
      filterGroups[0]?.filters.every(({ propertyName, operator, value }) => {
        if (propertyName === 'lastmodifieddate' && operator === 'GTE')
          return modifiedMs >= Number(value)
        if (propertyName === 'hs_object_id' && operator === 'GT') return Number(id) > Number(value)
        throw new Error(`${propertyName} ${operator}`)
      }),
    )
    return okResponse({ total: found.length, results: found.slice(0, limit).map(rawOf) })
  }
  return ({ path, body }) => {
    const values = valuesOf(body)
    if (path.endsWith('/search')) return search(values)
    const inputs = (values.inputs as readonly { id: string }[]) ?? []
    if (inputs.length > 100) throw new Error('over the limit')
    const found = inputs.flatMap(({ id }) => byId.get(id) ?? [])
    if (path.startsWith('/crm/associations/'))
      return okResponse({
        results: found.flatMap(({ id, companies = [] }) =>
          companies.length === 0
            ? []
            : [
                {
                  from: { id },
                  to: companies.map((toObjectId, index) => ({
                    toObjectId,
                    associationTypes: [
                      // A label that users define may have the id of the primary association.
                      { category: 'USER_DEFINED', typeId: 1 },
                      {
                        category: 'HUBSPOT_DEFINED',
                        typeId: index === companies.length - 1 ? 1 : 279,
                      },
                    ],
                  })),
                },
              ],
        ),
      })
    return okResponse({ results: found.map(rawOf) })
  }
}

describe('a listing of changes', () => {
  const since = '2026-03-31T23:59:59.000Z'
  const sameMs = Date.parse('2026-04-01T00:00:00.000Z')

  test('finds each of 10,250 records with the same time once', () => {
    const rows = Array.from({ length: 10_250 }, (_, index) => ({
      id: String(900 + index),
      modifiedMs: sameMs,
    }))
    const old = { id: '20000', modifiedMs: sameMs - 3_600_000 }
    const { records, requests } = listAll('contacts', since, accountOf([...rows, old]))
    expect(records.map((record) => valuesOf(record).id)).toEqual(rows.map(({ id }) => id))
    // 103 searches (the last one is not full), and associations and records of each page.
    expect(requests).toHaveLength(3 * 103)
  })

  test('misses no record that changes while it runs', () => {
    const rows = Array.from({ length: 250 }, (_, index) => ({
      id: String(1000 + index),
      modifiedMs: sameMs + index,
    }))
    let requests = 0
    const { records } = listAll('contacts', since, (request) => {
      requests += 1
      // The first and the last record change again after the first search.
      const now = rows.map((row, index) =>
        requests > 1 && (index === 0 || index === 249) ? { ...row, modifiedMs: sameMs + 9e6 } : row,
      )
      return accountOf(now)(request)
    })
    expect(new Set(records.map((record) => valuesOf(record).id)).size).toBe(250)
  })

  test('reads associations and records of a page in batches, the primary company first', () => {
    const rows = [
      { id: '51', modifiedMs: sameMs, companies: ['9', '10', '8'] },
      { id: '52', modifiedMs: sameMs },
    ]
    const { records, requests } = listAll('contacts', since, accountOf(rows))
    expect(requests.map(lineOf)).toEqual([
      'POST /crm/objects/2026-03/contacts/search',
      'POST /crm/associations/2026-03/contacts/companies/batch/read',
      'POST /crm/objects/2026-03/contacts/batch/read',
    ])
    expect(requests.every(({ read }) => read)).toBe(true)
    expect(records).toEqual([
      {
        id: '51',
        properties: { lastname: 'Person 51' },
        associations: { companies: ['8', '9', '10'] },
      },
      { id: '52', properties: { lastname: 'Person 52' }, associations: { companies: [] } },
    ])
  })

  test('ends with the search if nothing has changed', () => {
    expect(listAll('contacts', since, accountOf([])).requests).toHaveLength(1)
  })

  test.each([
    ['accounts', 'hs_lastmodifieddate'],
    ['contacts', 'lastmodifieddate'],
    ['leads', 'hs_lastmodifieddate'],
    ['opportunities', 'hs_lastmodifieddate'],
    ['notes', 'hs_lastmodifieddate'],
    ['tasks', 'hs_lastmodifieddate'],
  ])('of %s searches by %s', (name, propertyName) => {
    const [request] = listAll(name, since, () => okResponse({ results: [] })).requests
    expect(request?.body).toEqual({
      filterGroups: [{ filters: [{ propertyName, operator: 'GTE', value: '1775001599000' }] }],
      sorts: [{ propertyName: 'hs_object_id', direction: 'ASCENDING' }],
      properties: ['hs_object_id'],
      limit: 100,
    })
  })
})

describe('a full listing', () => {
  const contact = {
    id: '51',
    properties: { lastname: 'Noether', fax: '', phone: null, tier: 'gold', other: 'x' },
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T00:00:00.000Z',
    associations: {
      companies: {
        results: [
          { id: '10', type: 'contact_to_company_unlabeled' },
          { id: '9', type: 'contact_to_company_unlabeled' },
          { id: '10', type: 'contact_to_company' },
        ],
      },
    },
  }

  test('lists records with their associations, then the ids of archived ones', () => {
    const { records, deleted, requests } = listAll('contacts', undefined, ({ path }) => {
      if (path.includes('archived=true')) return okResponse({ results: [{ id: '40' }] })
      return path.includes('after=52')
        ? okResponse({ results: [{ id: '52', properties: { hs_merged_object_ids: '48;52;49' } }] })
        : okResponse({ results: [contact], paging: { next: { after: '52' } } })
    })
    expect(requests.map(lineOf)).toEqual([
      'GET /crm/objects/2026-03/contacts?limit=100&associations=companies',
      'GET /crm/objects/2026-03/contacts?limit=100&associations=companies&after=52',
      'GET /crm/objects/2026-03/contacts?limit=100&archived=true',
    ])
    expect(requests[0]?.path).toMatch(/notes_last_updated%2Chs_merged_object_ids%2Ctier&/)
    expect(records[0]).toEqual({
      id: '51',
      properties: { lastname: 'Noether', tier: 'gold' },
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-02T00:00:00.000Z',
      associations: { companies: ['10', '9'] },
    })
    expect(deleted).toEqual(['48', '49', '40'])
  })

  test('reads records in batches if the names of their properties are too long for an address', () => {
    const properties = Array.from({ length: 400 }, (_, index) => `a_long_custom_property_${index}`)
    const account = { ...context, properties: { contacts: properties } }
    const rows = [{ id: '51', modifiedMs: 0, companies: ['9'] }]
    const serve = accountOf(rows)
    const { records, requests } = listAll(
      'contacts',
      undefined,
      (request) => {
        if (request.method !== 'GET') return serve(request)
        return okResponse({ results: request.path.includes('archived=true') ? [] : [{ id: '51' }] })
      },
      account,
    )
    expect(requests.map(lineOf)).toEqual([
      'GET /crm/objects/2026-03/contacts?limit=100&archived=false',
      'POST /crm/associations/2026-03/contacts/companies/batch/read',
      'POST /crm/objects/2026-03/contacts/batch/read',
      'GET /crm/objects/2026-03/contacts?limit=100&archived=true',
    ])
    expect(requests[2]?.body).toMatchObject({ properties: expect.arrayContaining(properties) })
    expect(records).toMatchObject([{ id: '51', associations: { companies: ['9'] } }])
  })

  test('of stages lists those of all pipelines of deals', () => {
    const { records, requests } = listAll('stages', undefined, () =>
      okResponse({
        results: [{ id: 'default', label: 'Sales', stages: [{ id: 'won1', label: 'Won' }] }],
      }),
    )
    expect(requests.map(lineOf)).toEqual(['GET /crm/pipelines/2026-03/deals'])
    expect(records).toEqual([
      { id: 'won1', label: 'Won', pipeline: { id: 'default', label: 'Sales' } },
    ])
  })

  test('of users lists active and deactivated owners', () => {
    const { requests } = listAll('users', undefined, () => okResponse({ results: [] }))
    expect(requests.map(lineOf)).toEqual([
      'GET /crm/owners/2026-03?limit=500&archived=false',
      'GET /crm/owners/2026-03?limit=500&archived=true',
    ])
  })

  test('of opportunities without a currency has that of the account', () => {
    const { records } = listAll('opportunities', undefined, ({ path }) =>
      okResponse({ results: path.includes('archived=true') ? [] : [{ id: '1' }] }),
    )
    expect(records).toMatchObject([{ properties: { deal_currency_code: 'EUR' } }])
  })
})

describe('records by id', () => {
  test('of a type without associations are read in one request', () => {
    const { readMany } = findResource('accounts')
    const request = readMany?.request(['8', '9'], context)
    expect(request).toMatchObject({
      method: 'POST',
      path: '/crm/objects/2026-03/companies/batch/read',
      read: true,
      body: { inputs: [{ id: '8' }, { id: '9' }] },
    })
    const body = { results: [{ id: '8', properties: { name: 'Harbour Light', other: 'x' } }] }
    expect(readMany?.read({ status: 207, headers: {}, body }, context)).toEqual([
      { id: '8', properties: { name: 'Harbour Light' }, associations: {} },
    ])
    expect(() => readMany?.read(okResponse({}), context)).toThrow('no results')
  })

  test('of a type with associations have no such request, which would lose them', () => {
    for (const name of ['contacts', 'opportunities', 'notes', 'tasks'])
      expect(findResource(name).readMany).toBeUndefined()
  })

  test('are read in batches if the address would be too long', async () => {
    const properties = {
      contacts: Array.from({ length: 400 }, (_, index) => `a_long_custom_property_${index}`),
    }
    const serve = accountOf([{ id: '51', modifiedMs: 0, companies: ['9'] }])
    const lines: string[] = []
    const steps = findResource('contacts').write?.get('51', undefined, { ...context, properties })
    if (!steps) throw new Error('no get')
    const record = await runSteps(connector, steps, async (request) => {
      lines.push(lineOf(request))
      return serve(request)
    })
    expect(lines).toEqual([
      'POST /crm/associations/2026-03/contacts/companies/batch/read',
      'POST /crm/objects/2026-03/contacts/batch/read',
    ])
    expect(record).toMatchObject({ id: '51', associations: { companies: ['9'] } })
  })
})
