/** The HubSpot connector without a HubSpot: listings of an in-memory table, mappings, requests, failures and events. */
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { dayIn, noonIn } from '../../src/connectors/hubspot/days.ts'
import { connector } from '../../src/connectors/hubspot/manifest.ts'
import type { AppRequest, AppResponse, Json, WriteInput } from '../../src/definition/connector.ts'
import { converterOf } from '../../src/definition/mapping/rule.ts'
import { unifiedField } from '../../src/definition/mapping/write.ts'
import { createMapper } from '../../src/definition/mapping.ts'
import { valuesOf } from '../../src/definition/raw-values.ts'
import { isSigned } from '../../src/inbound/verify-signature.ts'
import { ATTEMPT, REQUEST, runSteps } from '../support/steps.ts'

const ok = (body: unknown): AppResponse => ({ status: 200, headers: {}, body })

const resource = (name: string) => {
  const found = connector.resources[`crm/${name}`]
  if (!found) throw new Error(`no ${name}`)
  return found
}

const stages = {
  won1: { pipeline: 'default', status: 'won' },
  lost1: { pipeline: 'default', status: 'lost' },
  first2: { pipeline: 'renewals', status: 'open' },
}

const context = {
  currency: 'EUR',
  timeZone: 'US/Eastern',
  owners: { '7': 'Ada Byron', '8': 'Emmy Noether', '9': 'Emmy Noether' },
  stages,
  properties: { contacts: ['tier'], deals: [] },
}

const attempt = { ...ATTEMPT, context }

type Send = (request: AppRequest) => AppResponse

/** All pages of a listing. Each cursor is stored as JSON. */
const listAll = (
  name: string,
  since: string | undefined,
  send: Send,
  account: object = context,
) => {
  const { listRequest, readList } = resource(name)
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

const lineOf = ({ method, path }: AppRequest): string => {
  const { pathname, searchParams } = new URL(path, 'http://hubspot.example')
  searchParams.delete('properties')
  return `${method} ${pathname}${searchParams.size > 0 ? `?${decodeURIComponent(searchParams.toString())}` : ''}`
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
    return ok({ total: found.length, results: found.slice(0, limit).map(rawOf) })
  }
  return ({ path, body }) => {
    const values = valuesOf(body)
    if (path.endsWith('/search')) return search(values)
    const inputs = (values.inputs as readonly { id: string }[]) ?? []
    if (inputs.length > 100) throw new Error('over the limit')
    const found = inputs.flatMap(({ id }) => byId.get(id) ?? [])
    if (path.startsWith('/crm/associations/'))
      return ok({
        results: found.flatMap(({ id, companies = [] }) =>
          companies.length === 0
            ? []
            : [
                {
                  from: { id },
                  to: companies.map((toObjectId, index) => ({
                    toObjectId,
                    associationTypes: [{ typeId: index === companies.length - 1 ? 1 : 279 }],
                  })),
                },
              ],
        ),
      })
    return ok({ results: found.map(rawOf) })
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
    const [request] = listAll(name, since, () => ok({ results: [] })).requests
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
      if (path.includes('archived=true')) return ok({ results: [{ id: '40' }] })
      return path.includes('after=52')
        ? ok({ results: [{ id: '52', properties: { hs_merged_object_ids: '48;52;49' } }] })
        : ok({ results: [contact], paging: { next: { after: '52' } } })
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
        return ok({ results: request.path.includes('archived=true') ? [] : [{ id: '51' }] })
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
      ok({ results: [{ id: 'default', label: 'Sales', stages: [{ id: 'won1', label: 'Won' }] }] }),
    )
    expect(requests.map(lineOf)).toEqual(['GET /crm/pipelines/2026-03/deals'])
    expect(records).toEqual([
      { id: 'won1', label: 'Won', pipeline: { id: 'default', label: 'Sales' } },
    ])
  })

  test('of users lists active and deactivated owners', () => {
    const { requests } = listAll('users', undefined, () => ok({ results: [] }))
    expect(requests.map(lineOf)).toEqual([
      'GET /crm/owners/2026-03?limit=500&archived=false',
      'GET /crm/owners/2026-03?limit=500&archived=true',
    ])
  })
})

describe('records by id', () => {
  test('of a type without associations are read in one request', () => {
    const { readMany } = resource('accounts')
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
    expect(() => readMany?.read(ok({}), context)).toThrow('no results')
  })

  test('of a type with associations have no such request, which would lose them', () => {
    for (const name of ['contacts', 'opportunities', 'notes', 'tasks'])
      expect(resource(name).readMany).toBeUndefined()
  })

  test('are read in batches if the address would be too long', async () => {
    const properties = {
      contacts: Array.from({ length: 400 }, (_, index) => `a_long_custom_property_${index}`),
    }
    const serve = accountOf([{ id: '51', modifiedMs: 0, companies: ['9'] }])
    const lines: string[] = []
    const steps = resource('contacts').write?.get('51', undefined, { ...context, properties })
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

describe('the mapping', () => {
  const rowOf = (name: string, raw: object) => {
    const { row, problems } = createMapper(resource(name).mapping)(
      { id: '1', createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-02T00:00:00Z', ...raw },
      'a0000000-0000-4000-8000-000000000000',
      { context },
    )
    expect(problems).toEqual([])
    return row
  }

  test.each([
    [
      'accounts',
      {
        properties: {
          name: 'Harbour Light',
          hubspot_owner_id: '7',
          numberofemployees: '50',
          notes_last_updated: '1767225600000',
          city: 'Kiel',
          phone: '+49 431',
          domain: 'harbour.example',
        },
        associations: {},
      },
      {
        accountName: 'Harbour Light',
        accountOwner: 'Ada Byron',
        numberOfEmployees: 50,
        lastActivityAt: '2026-01-01T00:00:00.000Z',
        remoteUpdatedAt: '2026-01-02T00:00:00.000Z',
        remoteDeleted: false,
        addresses: [{ addressType: 'PRIMARY', city: 'Kiel' }],
        phoneNumbers: [{ phoneNumberType: 'Primary', phoneNumber: '+49 431' }],
        remoteFields: { properties: { domain: 'harbour.example' } },
      },
    ],
    [
      'contacts',
      {
        properties: { lastname: 'Noether', email: 'e@example.org', mobilephone: '1', tier: 'gold' },
        associations: { companies: ['8', '9'] },
      },
      {
        lastName: 'Noether',
        firstName: null,
        emailAddresses: [{ emailAddressType: 'PRIMARY', emailAddress: 'e@example.org' }],
        phoneNumbers: [{ phoneNumberType: 'Mobile', phoneNumber: '1' }],
        remoteFields: { properties: { tier: 'gold' }, associations: { companies: ['8', '9'] } },
      },
    ],
    [
      'opportunities',
      {
        properties: {
          dealname: 'Lamps',
          amount: '1234567890123456.78',
          dealstage: 'lost1',
          closedate: '2026-03-01T03:00:00Z',
          deal_currency_code: 'USD',
        },
        associations: { companies: [] },
      },
      {
        opportunityName: 'Lamps',
        amount: '1234567890123456.78',
        opportunityStatus: 'lost',
        opportunityState: 'LOST',
        opportunityAccount: null,
        closeDate: '2026-02-28T00:00:00.000Z',
        currency: 'USD',
      },
    ],
    [
      'leads',
      {
        properties: {
          hs_lead_name: 'Emmy',
          hubspot_owner_id: '404',
          hs_associated_contact_lastname: 'Noether',
          hs_associated_contact_email: 'e@example.org',
          hs_associated_company_name: 'Göttingen',
        },
        associations: {},
      },
      {
        leadTitle: 'Emmy',
        leadOwner: null,
        lastName: 'Noether',
        company: 'Göttingen',
        emailAddresses: [{ emailAddressType: 'PRIMARY', emailAddress: 'e@example.org' }],
      },
    ],
    [
      'tasks',
      {
        properties: {
          hs_task_subject: 'Call',
          hs_task_status: 'COMPLETED',
          hs_timestamp: '2026-07-01T02:00:00Z',
          hs_task_completion_date: '1782878400000',
        },
        associations: { deals: [] },
      },
      {
        taskSubject: 'Call',
        taskStatus: 'COMPLETED',
        dueDate: '2026-06-30T00:00:00.000Z',
        completedDate: '2026-07-01T00:00:00.000Z',
      },
    ],
    [
      'notes',
      { properties: { hs_note_body: '<p>Hi</p>' }, associations: {} },
      { noteContent: '<p>Hi</p>', noteTitle: null, noteContact: null },
    ],
    [
      'stages',
      {
        label: 'Won',
        pipeline: { label: 'Sales' },
        displayOrder: 3,
        metadata: { probability: '0.29' },
      },
      { stageName: 'Won', pipelineName: 'Sales', displayOrder: 3, probability: '29' },
    ],
    [
      'users',
      { firstName: 'Ada', lastName: 'Byron', email: 'a@example.org', archived: true },
      { name: 'Ada Byron', email: 'a@example.org', isActive: false, remoteDeleted: false },
    ],
  ])('of %s', (name, raw, expected) => {
    expect(rowOf(name, raw)).toMatchObject(expected)
  })

  test('resolves references to records of the same credential', () => {
    const contact = rowOf('contacts', { properties: {}, associations: { companies: ['8', '9'] } })
    const company = rowOf('accounts', { id: '8', properties: {}, associations: {} })
    expect(contact.account).toBe(company.id)
  })
})

test.each(['accounts', 'contacts', 'leads', 'opportunities', 'notes', 'tasks'])(
  'every property and association that the mapping of %s names is read',
  (name) => {
    const { mapping, listRequest } = resource(name)
    const { path } = listRequest({ since: undefined, cursor: undefined, context })
    const { searchParams } = new URL(path, 'http://hubspot.example')
    const read = [...searchParams.values()].flatMap((value) => value.split(','))
    const named = Object.values(mapping.rules).flatMap((rule) => {
      const { from = '', sets = [] } = converterOf(rule) ?? {}
      return [from, ...sets].flatMap((one) => {
        const [group, name] = one.split('.')
        return group !== 'contact' && name !== undefined ? [name] : []
      })
    })
    expect(named.length).toBeGreaterThan(1)
    for (const one of named) expect(read).toContain(one)
  },
)

describe('the days of an account', () => {
  test.each([
    ['US/Eastern', '2026-03-08', '2026-03-08T16:00:00.000Z'],
    ['US/Eastern', '2026-03-07', '2026-03-07T17:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T22:00:00.000Z'],
    ['UTC', '2026-01-01', '2026-01-01T12:00:00.000Z'],
  ])('in %s: noon of %s is %s', (zone, day, instant) => {
    expect(noonIn(zone, day)).toBe(instant)
    expect(dayIn(zone, instant)).toBe(day)
  })
})

describe('a write', () => {
  /** The requests of steps, whose responses have the id of the record. */
  const written = async (
    steps: Parameters<typeof runSteps>[1],
    answer: (request: AppRequest) => AppResponse | undefined = () => undefined,
  ) => {
    const requests: [string, unknown][] = []
    const result = await runSteps(connector, steps, async (request) => {
      requests.push([lineOf(request), request.body])
      return answer(request) ?? ok({ id: '51', properties: {} })
    }).catch((error: unknown) => error)
    return { requests, result }
  }

  const input = (
    fields: WriteInput['fields'],
    remoteFields: WriteInput['remoteFields'] = {},
  ): WriteInput => ({ fields, remoteFields })

  const createSteps = (name: string, ...of: Parameters<typeof input>) => {
    const create = resource(name).write?.create
    if (!create) throw new Error(`no create of ${name}`)
    return create.steps(input(...of), attempt)
  }

  const updateSteps = (name: string, raw: object, ...of: Parameters<typeof input>) => {
    const update = resource(name).write?.update
    if (!update) throw new Error(`no update of ${name}`)
    expect(update.guard).toBe('compare')
    return update.steps(input(...of), { remoteId: '51', record: {}, raw }, attempt)
  }

  const GET_CONTACT = 'GET /crm/objects/2026-03/contacts/51?associations=companies'

  test('creates a contact with its account and custom properties, and reads it', async () => {
    const { requests } = await written(
      createSteps(
        'contacts',
        {
          lastName: 'Noether',
          account: '9',
          emailAddresses: [{ emailAddressType: 'work', emailAddress: 'e@example.org' }],
        },
        { properties: { tier: 'gold', visits: 3, tags: ['a', 'b'] } },
      ),
    )
    expect(requests).toEqual([
      [
        'POST /crm/objects/2026-03/contacts',
        {
          properties: {
            lastname: 'Noether',
            work_email: 'e@example.org',
            tier: 'gold',
            visits: '3',
            tags: 'a;b',
          },
          associations: [
            {
              to: { id: '9' },
              types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 1 }],
            },
          ],
        },
      ],
      [GET_CONTACT, undefined],
    ])
  })

  test('updates properties, clears one, and replaces the account', async () => {
    const { requests } = await written(
      updateSteps(
        'contacts',
        { associations: { companies: ['8', '9'] } },
        { firstName: null, lastName: 'Noether', account: '10' },
      ),
    )
    expect(requests).toEqual([
      [
        'PATCH /crm/objects/2026-03/contacts/51',
        { properties: { firstname: '', lastname: 'Noether' } },
      ],
      [
        'PUT /crm/objects/2026-03/contacts/51/associations/companies/10',
        [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 1 }],
      ],
      ['DELETE /crm/objects/2026-03/contacts/51/associations/companies/8', undefined],
      [GET_CONTACT, undefined],
    ])
  })

  test.each([
    ['8', []],
    [null, ['DELETE /crm/objects/2026-03/contacts/51/associations/companies/8']],
  ])('changes the account 8 to %s', async (account, expected) => {
    const raw = { associations: { companies: ['8'] } }
    const { requests } = await written(updateSteps('contacts', raw, { account }))
    expect(requests.map(([line]) => line)).toEqual([...expected, GET_CONTACT])
  })

  test('sets the pipeline of a stage, the exact amount and noon of the day', async () => {
    const { requests } = await written(
      updateSteps(
        'opportunities',
        {},
        { opportunityStage: 'first2', amount: '1234567890123456.78', closeDate: '2026-07-01' },
      ),
    )
    expect(requests[0]?.[1]).toEqual({
      properties: {
        dealstage: 'first2',
        pipeline: 'renewals',
        amount: '1234567890123456.78',
        closedate: '2026-07-01T16:00:00.000Z',
      },
    })
  })

  test.each([
    [{ companies: ['9'] }, /associations.companies: Expected the id/],
    [{ tickets: '9' }, /associations.tickets: Expected the id/],
    [[], /associations: Expected an object/],
  ])('refuses the associations %j before it sends anything', async (associations, message) => {
    const steps = updateSteps('contacts', {}, { lastName: 'Noether' }, { associations })
    const { requests, result } = await written(steps)
    expect(String(result)).toMatch(message)
    expect(requests).toEqual([])
  })

  test.each([
    ['ada byron', { hubspot_owner_id: '7' }],
    ['9', { hubspot_owner_id: '9' }],
    [null, { hubspot_owner_id: '' }],
  ])('sets the owner %s', async (accountOwner, properties) => {
    const { requests } = await written(updateSteps('accounts', {}, { accountOwner }))
    expect(requests[0]?.[1]).toEqual({ properties })
  })

  test.each([
    ['accounts', { accountOwner: 'Nobody' }, /accountOwner: No user/],
    ['accounts', { accountOwner: 'Emmy Noether' }, /accountOwner: Several users/],
    ['opportunities', { opportunityStage: 'toString' }, /opportunityStage: .*no such stage/],
    [
      'contacts',
      { phoneNumbers: [{ phoneNumberType: 'OTHER', phoneNumber: '1' }] },
      /Expected one/,
    ],
  ])('of %s refuses %j', async (name, fields, message) => {
    const { requests, result } = await written(updateSteps(name, {}, fields))
    expect(String(result)).toMatch(message)
    expect(requests).toEqual([])
  })

  test('creates a note with the time of HubSpot and its associations', async () => {
    const headers = { date: 'Wed, 01 Jul 2026 10:00:00 GMT' }
    const { requests } = await written(
      createSteps('notes', { noteContent: 'Hi', noteContact: '3', noteOpportunity: '4' }),
      ({ path }) =>
        path.startsWith('/account-info/') ? { status: 200, headers, body: {} } : undefined,
    )
    expect(requests[1]?.[1]).toEqual({
      properties: { hs_note_body: 'Hi', hs_timestamp: '2026-07-01T10:00:00.000Z' },
      associations: [
        {
          to: { id: '3' },
          types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 202 }],
        },
        {
          to: { id: '4' },
          types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 214 }],
        },
      ],
    })
  })

  test('sends the due date of a task as its time', async () => {
    const { requests } = await written(
      createSteps('tasks', { taskSubject: 'Call', dueDate: '2026-01-15', taskOpportunity: '4' }),
    )
    expect(requests[0]).toEqual([
      'POST /crm/objects/2026-03/tasks',
      {
        properties: { hs_task_subject: 'Call', hs_timestamp: '2026-01-15T17:00:00.000Z' },
        associations: [
          {
            to: { id: '4' },
            types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 216 }],
          },
        ],
      },
    ])
  })

  describe('of a lead', () => {
    const fields = {
      firstName: 'Emmy',
      lastName: 'Noether',
      leadOwner: 'Ada Byron',
      emailAddresses: [{ emailAddressType: 'PRIMARY', emailAddress: 'e@example.org' }],
    }
    const notFound: AppResponse = { status: 404, headers: {}, body: {} }
    const isLookUp = ({ path }: AppRequest) => path.includes('idProperty=email')

    test('creates its contact first', async () => {
      const { requests } = await written(createSteps('leads', fields), (request) =>
        isLookUp(request) ? notFound : undefined,
      )
      expect(requests.slice(0, 3)).toEqual([
        ['GET /crm/objects/2026-03/contacts/e%40example.org?idProperty=email', undefined],
        [
          'POST /crm/objects/2026-03/contacts',
          {
            properties: { firstname: 'Emmy', lastname: 'Noether', email: 'e@example.org' },
            associations: [],
          },
        ],
        [
          'POST /crm/objects/2026-03/leads',
          {
            properties: { hs_lead_name: 'Emmy Noether', hubspot_owner_id: '7' },
            associations: [
              {
                to: { id: '51' },
                types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 578 }],
              },
            ],
          },
        ],
      ])
    })

    test('uses the contact with the e-mail address', async () => {
      const { requests } = await written(createSteps('leads', fields))
      expect(requests.map(([line]) => line)).toEqual([
        'GET /crm/objects/2026-03/contacts/e%40example.org?idProperty=email',
        'POST /crm/objects/2026-03/leads',
        'GET /crm/objects/2026-03/leads/51',
      ])
    })

    test.each([
      [true, ['DELETE /crm/objects/2026-03/contacts/51']],
      [false, []],
    ])('that is rejected deletes its contact if that is new: %s', async (isNew, expected) => {
      const { requests, result } = await written(createSteps('leads', fields), (request) => {
        if (isLookUp(request)) return isNew ? notFound : undefined
        return request.path.endsWith('/leads') ? { status: 400, headers: {}, body: {} } : undefined
      })
      expect(result).toBeInstanceOf(Error)
      expect(requests.map(([line]) => line).filter((line) => line.startsWith('DELETE'))).toEqual(
        expected,
      )
    })

    test('uses the contact that the caller names', async () => {
      const associations = [{ to: { id: '3' }, types: [] }]
      const { requests } = await written(
        createSteps('leads', { leadTitle: 'Lamps' }, { associations }),
      )
      expect(requests[0]?.[1]).toEqual({ properties: { hs_lead_name: 'Lamps' }, associations })
      const { result } = await written(createSteps('leads', fields, { associations }))
      expect(String(result)).toMatch(/pass either/)
    })

    test('needs a contact', async () => {
      const { requests, result } = await written(createSteps('leads', { leadTitle: 'Lamps' }))
      expect(String(result)).toMatch(/requires a contact/)
      expect(requests).toEqual([])
    })
  })

  test('whose response is lost is found by the form in which HubSpot lists it', () => {
    const sent = input(
      { emailAddresses: [{ emailAddressType: 'PRIMARY', emailAddress: 'Emmy@Example.org' }] },
      { properties: { visits: 3 } },
    )
    expect(resource('contacts').write?.normalize?.(sent, context)).toEqual(
      input(
        { emailAddresses: [{ emailAddressType: 'PRIMARY', emailAddress: 'emmy@example.org' }] },
        { properties: { visits: '3' } },
      ),
    )
  })

  test('deletes a record, which archives it', async () => {
    const remove = resource('accounts').write?.delete
    if (!remove) throw new Error('no delete')
    const { requests } = await written(remove.steps({ remoteId: '51', record: {} }, attempt))
    expect(requests).toEqual([['DELETE /crm/objects/2026-03/companies/51', undefined]])
  })

  test.each([
    ['a merged', ok({ id: '52', properties: {} })],
    ['an archived', { status: 404, headers: {}, body: {} }],
  ])('finds no record under the id of %s one', async (_, response) => {
    const get = resource('contacts').write?.get
    if (!get) throw new Error('no get')
    const { result } = await written(get('51', undefined, context), () => response)
    expect(result).toBeUndefined()
  })
})

describe('a failure', () => {
  const search: AppRequest = { method: 'POST', path: '/crm/objects/2026-03/contacts/search' }
  const create: AppRequest = { method: 'POST', path: '/crm/objects/2026-03/contacts' }

  test.each([
    [401, {}, REQUEST, { kind: 'authentication' }],
    [403, { category: 'MISSING_SCOPES', message: 'no scope' }, REQUEST, { kind: 'refused' }],
    [404, {}, REQUEST, { kind: 'absent' }],
    [409, { message: 'Contact already exists.' }, create, { field: 'properties.email' }],
    [423, {}, REQUEST, { kind: 'unavailable', retryAfterMs: 2000 }],
    [477, {}, REQUEST, { kind: 'unavailable' }],
    [429, { policyName: 'DAILY' }, REQUEST, { kind: 'rate-limited', limit: 'daily' }],
    [429, { policyName: 'TEN_SECONDLY_ROLLING' }, search, { limit: 'burst', retryAfterMs: 10_000 }],
    [429, {}, search, { limit: 'search', retryAfterMs: 1000 }],
    [429, {}, create, { limit: 'burst', retryAfterMs: 10_000 }],
    [
      400,
      {
        message: 'Property values were not valid',
        errors: [{ message: 'not an option', context: { propertyName: ['industry'] } }],
      },
      create,
      { kind: 'refused', reason: 'not an option', field: 'properties.industry' },
    ],
    [
      400,
      { message: 'Property values were not valid: [{"isValid":false,"name":"industry"}]' },
      create,
      { kind: 'refused', field: 'properties.industry' },
    ],
    [400, { message: 'Invalid input' }, create, { kind: 'refused', reason: 'Invalid input' }],
  ])('%s %j', (status, body, request, expected) => {
    expect(connector.readFailure({ status, headers: {}, body }, request)).toMatchObject(expected)
  })

  test('has no time of its own if the response has one', () => {
    const response = { status: 429, headers: { 'retry-after': '3' }, body: {} }
    expect(connector.readFailure(response, search)).toEqual({
      kind: 'rate-limited',
      reason: 'it answered 429',
      limit: 'search',
    })
  })

  test.each([200, 207, 500, 503])('%s is what the status says', (status) => {
    expect(connector.readFailure({ status, headers: {}, body: {} }, REQUEST)).toBeUndefined()
  })

  test.each([
    ['accounts', 'properties.industry', 'industry'],
    ['accounts', 'properties.hubspot_owner_id', 'accountOwner'],
    ['accounts', 'properties.zip', 'addresses'],
    ['contacts', 'properties.email', 'emailAddresses'],
    ['opportunities', 'properties.pipeline', 'opportunityStage'],
    ['tasks', 'properties.hs_timestamp', 'dueDate'],
  ])('of %s at %s is located at %s', (name, appField, field) => {
    expect(unifiedField(resource(name).mapping, appField)).toBe(field)
  })
})

test('the limits follow the headers of the account', () => {
  const { limits } = connector
  expect(limits?.cost?.({ method: 'POST', path: '/crm/objects/2026-03/deals/search' })).toBe(1)
  expect(limits?.cost?.(REQUEST)).toBe(0)
  const headers = {
    'x-hubspot-ratelimit-daily': '500000',
    'x-hubspot-ratelimit-daily-remaining': '499000',
    'x-hubspot-ratelimit-interval-milliseconds': '10000',
    'x-hubspot-ratelimit-max': '190',
    'x-hubspot-ratelimit-remaining': '0',
  }
  expect(limits?.readUsage?.({ status: 200, headers, body: {} })).toEqual({
    limits: { daily: { max: 500_000, remaining: 499_000 }, burst: { max: 190, remaining: 0 } },
  })
  expect(limits?.readUsage?.(ok({}))).toEqual({ limits: { daily: {} } })
})

describe('the account', () => {
  const responses: Readonly<Record<string, object>> = {
    '/account-info/2026-03/details': {
      portalId: 5,
      companyCurrency: 'EUR',
      timeZone: 'US/Eastern',
    },
    '/crm/owners/2026-03?limit=500&archived=false': {
      results: [{ id: '8', firstName: 'Ada', lastName: 'Byron' }],
    },
    '/crm/owners/2026-03?limit=500&archived=true': {
      results: [{ id: '7', email: 'e@example.org' }],
    },
    '/crm/pipelines/2026-03/deals': {
      results: [
        {
          id: 'default',
          stages: [
            { id: 'b', metadata: { probability: '1.0', isClosed: 'true' } },
            { id: 'c', metadata: { probability: '0.0' } },
            { id: 'a', metadata: { probability: '0.2' } },
          ],
        },
      ],
    },
    '/crm/properties/2026-03/contacts': {
      results: [
        { name: 'tier', label: 'Tier', type: 'enumeration', hubspotDefined: false },
        { name: 'budget', label: '', type: 'number', hubspotDefined: false },
        { name: 'gone', type: 'string', hubspotDefined: false, archived: true },
        { name: 'hs_x', label: 'X', type: 'string', hubspotDefined: true },
        { name: 'jobtitle', label: 'Job', type: 'string', hubspotDefined: true },
        { name: 'notes_last_updated', label: 'Last', type: 'datetime', calculated: true },
      ],
    },
  }
  const send = async ({ path }: AppRequest): Promise<AppResponse> => {
    if (path.endsWith('/leads')) return { status: 403, headers: {}, body: {} }
    return ok(responses[path] ?? { results: [] })
  }

  test('has the settings that mappings need, in a fixed sequence, without leads too', async () => {
    const steps = connector.context?.read()
    if (!steps) throw new Error('no context')
    const read = await runSteps(connector, steps, send)
    expect(JSON.stringify(read)).toBe(
      JSON.stringify({
        currency: 'EUR',
        timeZone: 'US/Eastern',
        owners: { '7': 'e@example.org', '8': 'Ada Byron' },
        stages: {
          a: { pipeline: 'default', status: 'open' },
          b: { pipeline: 'default', status: 'won' },
          c: { pipeline: 'default', status: 'lost' },
        },
        properties: {
          companies: [],
          contacts: ['budget', 'tier'],
          leads: [],
          deals: [],
          notes: [],
          tasks: [],
        },
      }),
    )
  })

  test('describes the properties that records contain', async () => {
    const steps = resource('contacts').describeFields?.(context)
    if (!steps) throw new Error('no description')
    expect(await runSteps(connector, steps, send)).toEqual([
      { remoteField: 'properties.tier', label: 'Tier', type: 'text', writable: true },
      { remoteField: 'properties.jobtitle', label: 'Job', type: 'text', writable: true },
      {
        remoteField: 'properties.notes_last_updated',
        label: 'Last',
        type: 'timestamp',
        writable: false,
      },
    ])
  })

  test('has the currency of deals that name none', () => {
    const { records } = listAll('opportunities', undefined, ({ path }) =>
      ok({ results: path.includes('archived=true') ? [] : [{ id: '1' }] }),
    )
    expect(records).toMatchObject([{ properties: { deal_currency_code: 'EUR' } }])
  })

  test('is identified by the id of the portal', async () => {
    const { oauth } = connector.auth
    if (oauth?.type !== 'oauth2' || !oauth.accounts) throw new Error('no accounts')
    const response = await send(oauth.accounts.request)
    expect(oauth.accounts.read(response)).toEqual([
      { id: '5', label: 'HubSpot 5', values: { portalId: '5' } },
    ])
  })
})

describe('webhooks', () => {
  const facts = { portalId: 5, eventId: 1, subscriptionId: 2, occurredAt: 3 }
  const namesOf = (event: object): readonly string[] => {
    const events = connector.webhooks?.events({ headers: {}, body: [{ ...facts, ...event }] }) ?? []
    return events.map(({ topic, remoteId, kind, company }) => {
      expect(company).toBe('5')
      return `${topic} ${remoteId} ${kind}`
    })
  }

  test.each([
    [{ subscriptionType: 'contact.creation', objectId: 51 }, ['crm/contacts 51 changed']],
    [{ subscriptionType: 'company.propertyChange', objectId: 9 }, ['crm/accounts 9 changed']],
    [{ subscriptionType: 'deal.deletion', objectId: 4 }, ['crm/opportunities 4 deleted']],
    [{ subscriptionType: 'contact.privacyDeletion', objectId: 51 }, ['crm/contacts 51 deleted']],
    [
      { subscriptionType: 'object.restore', objectTypeId: '0-136', objectId: 6 },
      ['crm/leads 6 changed'],
    ],
    [
      {
        subscriptionType: 'object.associationChange',
        fromObjectTypeId: '0-46',
        fromObjectId: 1,
        toObjectTypeId: '0-1',
        toObjectId: 51,
      },
      ['crm/notes 1 changed', 'crm/contacts 51 changed'],
    ],
    [
      {
        subscriptionType: 'contact.merge',
        primaryObjectId: 51,
        mergedObjectIds: [52],
        newObjectId: 60,
      },
      ['crm/contacts 60 changed', 'crm/contacts 51 deleted', 'crm/contacts 52 deleted'],
    ],
    [
      { subscriptionType: 'deal.merge', primaryObjectId: 4, mergedObjectIds: [5] },
      ['crm/opportunities 4 changed', 'crm/opportunities 5 deleted'],
    ],
    [{ subscriptionType: 'ticket.creation', objectId: 1 }, []],
    [{ subscriptionType: 'object.creation', objectTypeId: '2-77', objectId: 1 }, []],
  ])('%j', (event, expected) => {
    expect(namesOf(event)).toEqual(expected)
  })

  test('that are no list of events are refused', () => {
    expect(() => connector.webhooks?.events({ headers: {}, body: {} })).toThrow('not a list')
  })

  test('are signed over the method, the address, the body and the time, for five minutes', () => {
    const url = 'https://api.example.com/inbound/hubspot/1'
    const body = Buffer.from('[]')
    const time = '1782878400000'
    const signature = createHmac('sha256', 'secret').update(`POST${url}[]${time}`).digest('base64')
    const headers = {
      'x-hubspot-signature-v3': signature,
      'x-hubspot-request-timestamp': time,
    }
    const scheme = connector.webhooks?.signature
    if (!scheme) throw new Error('no signature')
    const isAccepted = (delayMs: number, method = 'POST'): boolean =>
      isSigned(scheme, { method, url, headers, body }, [], {
        secrets: ['secret'],
        nowMs: Number(time) + delayMs,
      })
    expect([isAccepted(299_000), isAccepted(301_000), isAccepted(0, 'PUT')]).toEqual([
      true,
      false,
      false,
    ])
  })
})
