/** The HubSpot connector without a HubSpot: the requests of writes. */
import { describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/hubspot/manifest.ts'
import type { AppRequest, AppResponse, WriteInput } from '../../src/definition/connector.ts'
import { runSteps } from '../support/steps.ts'
import { attempt, context, findResource, lineOf, okResponse } from './hubspot/fixtures.ts'

describe('a write', () => {
  /** The requests of steps, whose responses have the id of the record. */
  const listWriteRequests = async (
    steps: Parameters<typeof runSteps>[1],
    respond: (request: AppRequest) => AppResponse | undefined = () => undefined,
  ) => {
    const requests: [string, unknown][] = []
    const result = await runSteps(connector, steps, async (request) => {
      requests.push([lineOf(request), request.body])
      return respond(request) ?? okResponse({ id: '51', properties: {} })
    }).catch((error: unknown) => error)
    return { requests, result }
  }

  const writeInput = (
    fields: WriteInput['fields'],
    remoteFields: WriteInput['remoteFields'] = {},
  ): WriteInput => ({ fields, remoteFields })

  const createSteps = (name: string, ...input: Parameters<typeof writeInput>) => {
    const create = findResource(name).write?.create
    if (!create) throw new Error(`no create of ${name}`)
    return create.steps(writeInput(...input), attempt)
  }

  const updateSteps = (name: string, raw: object, ...input: Parameters<typeof writeInput>) => {
    const update = findResource(name).write?.update
    if (!update) throw new Error(`no update of ${name}`)
    expect(update.guard).toBe('compare')
    return update.steps(writeInput(...input), { remoteId: '51', record: {}, raw }, attempt)
  }

  const GET_CONTACT = 'GET /crm/objects/2026-03/contacts/51?associations=companies'

  test('creates a contact with its account and custom properties, and reads it', async () => {
    const { requests } = await listWriteRequests(
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
    const { requests } = await listWriteRequests(
      updateSteps(
        'contacts',
        { associations: { companies: ['8', '9'] } },
        { firstName: null, lastName: 'Noether', account: '10' },
      ),
      ({ method, path }) =>
        method === 'GET' && path.includes('/associations/')
          ? okResponse({ results: [] })
          : undefined,
    )
    expect(requests).toEqual([
      [
        'PATCH /crm/objects/2026-03/contacts/51',
        { properties: { firstname: '', lastname: 'Noether' } },
      ],
      ['GET /crm/objects/2026-03/contacts/51/associations/companies?limit=500', undefined],
      [
        'PUT /crm/objects/2026-03/contacts/51/associations/companies/10',
        [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 1 }],
      ],
      ['DELETE /crm/objects/2026-03/contacts/51/associations/companies/8', undefined],
      [GET_CONTACT, undefined],
    ])
  })

  test('sends along the labels of users, which it would replace', async () => {
    const label = { category: 'USER_DEFINED', typeId: 1001, label: 'Decision maker' }
    const unlabeled = { category: 'HUBSPOT_DEFINED', typeId: 279 }
    const pages: Readonly<Record<string, object>> = {
      'companies?limit=500': {
        results: [{ toObjectId: 9, associationTypes: [unlabeled] }],
        paging: { next: { after: 'p2' } },
      },
      'companies?limit=500&after=p2': {
        results: [{ toObjectId: 10, associationTypes: [unlabeled, label] }],
      },
    }
    const { requests } = await listWriteRequests(
      updateSteps('contacts', { associations: { companies: ['8', '10'] } }, { account: '10' }),
      ({ path }) => {
        const page = pages[path.split('/').at(-1) ?? '']
        return page && okResponse(page)
      },
    )
    expect(requests.slice(2, 4)).toEqual([
      [
        'PUT /crm/objects/2026-03/contacts/51/associations/companies/10',
        [
          { associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 1 },
          { associationCategory: 'USER_DEFINED', associationTypeId: 1001 },
        ],
      ],
      ['DELETE /crm/objects/2026-03/contacts/51/associations/companies/8', undefined],
    ])
  })

  test.each([
    ['8', []],
    [null, ['DELETE /crm/objects/2026-03/contacts/51/associations/companies/8']],
  ])('changes the account 8 to %s', async (account, expected) => {
    const raw = { associations: { companies: ['8'] } }
    const { requests } = await listWriteRequests(updateSteps('contacts', raw, { account }))
    expect(requests.map(([line]) => line)).toEqual([...expected, GET_CONTACT])
  })

  test('sets the pipeline of a stage, the exact amount and noon of the day', async () => {
    const { requests } = await listWriteRequests(
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
  ])('rejects the associations %j before it sends anything', async (associations, message) => {
    const steps = updateSteps('contacts', {}, { lastName: 'Noether' }, { associations })
    const { requests, result } = await listWriteRequests(steps)
    expect(String(result)).toMatch(message)
    expect(requests).toEqual([])
  })

  test.each([
    ['ada byron', { hubspot_owner_id: '7' }],
    ['9', { hubspot_owner_id: '9' }],
    [null, { hubspot_owner_id: '' }],
  ])('sets the owner %s', async (accountOwner, properties) => {
    const { requests } = await listWriteRequests(updateSteps('accounts', {}, { accountOwner }))
    expect(requests[0]?.[1]).toEqual({ properties })
  })

  test.each([
    ['accounts', { accountOwner: 'Nobody' }, /accountOwner: No user/],
    ['accounts', { accountOwner: 'Emmy Noether' }, /accountOwner: Several users/],
    ['opportunities', { opportunityStage: 'toString' }, /opportunityStage: .*no deal stage/],
    [
      'contacts',
      { phoneNumbers: [{ phoneNumberType: 'OTHER', phoneNumber: '1' }] },
      /Expected one/,
    ],
  ])('of %s rejects %j', async (name, fields, message) => {
    const { requests, result } = await listWriteRequests(updateSteps(name, {}, fields))
    expect(String(result)).toMatch(message)
    expect(requests).toEqual([])
  })

  test('creates a note with the time of HubSpot and its associations', async () => {
    const headers = { date: 'Wed, 01 Jul 2026 10:00:00 GMT' }
    const { requests } = await listWriteRequests(
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
    const { requests } = await listWriteRequests(
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
      const { requests } = await listWriteRequests(createSteps('leads', fields), (request) =>
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
      const { requests } = await listWriteRequests(createSteps('leads', fields))
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
      const { requests, result } = await listWriteRequests(
        createSteps('leads', fields),
        (request) => {
          if (isLookUp(request)) return isNew ? notFound : undefined
          return request.path.endsWith('/leads')
            ? { status: 400, headers: {}, body: {} }
            : undefined
        },
      )
      expect(result).toBeInstanceOf(Error)
      expect(requests.map(([line]) => line).filter((line) => line.startsWith('DELETE'))).toEqual(
        expected,
      )
    })

    test('uses the contact that the caller names', async () => {
      const associations = [{ to: { id: '3' }, types: [] }]
      const { requests } = await listWriteRequests(
        createSteps('leads', { leadTitle: 'Lamps' }, { associations }),
      )
      expect(requests[0]?.[1]).toEqual({ properties: { hs_lead_name: 'Lamps' }, associations })
      const { result } = await listWriteRequests(createSteps('leads', fields, { associations }))
      expect(String(result)).toMatch(/pass either/)
    })

    test('needs a contact', async () => {
      const { requests, result } = await listWriteRequests(
        createSteps('leads', { leadTitle: 'Lamps' }),
      )
      expect(String(result)).toMatch(/requires a contact/)
      expect(requests).toEqual([])
    })
  })

  test('whose response is lost is found in the form of a listing', () => {
    const sent = writeInput(
      { emailAddresses: [{ emailAddressType: 'PRIMARY', emailAddress: 'Emmy@Example.org' }] },
      { properties: { visits: 3 } },
    )
    expect(findResource('contacts').write?.normalize?.(sent, context)).toEqual(
      writeInput(
        { emailAddresses: [{ emailAddressType: 'PRIMARY', emailAddress: 'emmy@example.org' }] },
        { properties: { visits: '3' } },
      ),
    )
  })

  test('deletes a record, which archives it', async () => {
    const remove = findResource('accounts').write?.delete
    if (!remove) throw new Error('no delete')
    const { requests } = await listWriteRequests(
      remove.steps({ remoteId: '51', record: {} }, attempt),
    )
    expect(requests).toEqual([['DELETE /crm/objects/2026-03/companies/51', undefined]])
  })

  test.each([
    ['a merged', okResponse({ id: '52', properties: {} })],
    ['an archived', { status: 404, headers: {}, body: {} }],
  ])('finds no record under the id of %s one', async (_, response) => {
    const get = findResource('contacts').write?.get
    if (!get) throw new Error('no get')
    const { result } = await listWriteRequests(get('51', undefined, context), () => response)
    expect(result).toBeUndefined()
  })
})
