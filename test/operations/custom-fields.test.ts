/** Custom fields: defined by API, then read, filtered, written and published over both transports. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConnectedSandbox, connectSandbox } from '../support/connected-sandbox.ts'
import { callOver, transports } from '../support/operations.ts'

let sandbox: ConnectedSandbox
beforeAll(async () => {
  sandbox = await connectSandbox()
  for (const field of FIELDS) await create(field)
  await sandbox.sync()
}, 60_000)
afterAll(() => sandbox.stop())

const CONTACTS = { resource: 'crm/contacts', app: 'sandbox' }
const INVOICES = { resource: 'accounting/invoices', app: 'sandbox' }
const FIELDS = [
  { ...CONTACTS, name: 'points', type: 'number', remoteField: 'loyalty_points' },
  { ...CONTACTS, name: 'subscribed', type: 'boolean', remoteField: 'newsletter' },
  { ...CONTACTS, name: 'title', type: 'text', remoteField: 'job_title' },
  { ...INVOICES, name: 'approved', type: 'date', remoteField: 'approved_on' },
  { ...INVOICES, name: 'discount', type: 'decimal', remoteField: 'discount_percent' },
]

const call = (name: string, input: object, transport: (typeof transports)[number] = 'REST') =>
  callOver(sandbox.service, transport)(sandbox.tenant.key, name, { ...input })

const create = async (field: object) => {
  const { status, result, message } = await call('createCustomField', field)
  expect(status, message).toBe(200)
  return result
}

interface Contact {
  readonly remoteId: string
  readonly remoteFields: Readonly<Record<string, unknown>>
  readonly customFields?: Readonly<Record<string, unknown>>
}

/** The records of a REST list, with these parameters. */
const list = async (path: string, parameters = ''): Promise<readonly Contact[]> => {
  const { service, tenant, credentialId } = sandbox
  const url = `/${path}?credentialId=${credentialId}&pageSize=100${parameters}`
  const response = await service.rest(tenant.key, url)
  expect(response.statusCode, response.body).toBe(200)
  const [records] = Object.values(response.json())
  return records as readonly Contact[]
}

describe('reading', () => {
  test('a record has the mapped values with their types, and keeps them in remoteFields', async () => {
    const contacts = await list('crm/contacts')
    expect(contacts.length).toBeGreaterThan(5)
    for (const { customFields, remoteFields } of contacts)
      expect(customFields).toEqual({
        points: remoteFields.loyalty_points ?? null,
        subscribed: remoteFields.newsletter,
        title: remoteFields.job_title,
      })
    for (const { customFields, remoteFields } of await list('accounting/invoices')) {
      const day = remoteFields.approved_on
      expect(customFields).toEqual({
        approved: typeof day === 'string' ? `${day}T00:00:00.000Z` : null,
        discount: remoteFields.discount_percent,
      })
    }
  })

  test('a resource without custom fields has none, and its list costs no statement more', async () => {
    const { service } = sandbox
    await list('crm/accounts')
    service.takeStatements()
    for (const account of await list('crm/accounts'))
      expect(account).not.toHaveProperty('customFields')
    expect(service.takeStatements()).toHaveLength(1)
  })

  test('GraphQL returns the same values, also of a resource without custom fields', async () => {
    const { service, tenant, credentialId } = sandbox
    const { data, errors } = await service.graphql(
      tenant.key,
      `query ($id: ID!) {
        crmContacts(credentialId: $id, first: 100) { nodes { remoteId customFields } }
        crmAccounts(credentialId: $id, first: 1) { nodes { customFields } }
      }`,
      { id: credentialId },
    )
    expect(errors).toEqual([])
    const contacts = await list('crm/contacts')
    expect(data.crmContacts.nodes).toEqual(
      contacts.map(({ remoteId, customFields }) => ({ remoteId, customFields })),
    )
    expect(data.crmAccounts.nodes).toEqual([{ customFields: null }])
  })
})

describe('filters', () => {
  const pointsOf = ({ customFields }: Contact) => Number(customFields?.points ?? Number.NaN)
  const titleOf = ({ customFields }: Contact) => String(customFields?.title ?? '')
  /** The REST parameter, the GraphQL condition, and the predicate for the selected records. */
  const cases: readonly (readonly [string, object, (contact: Contact) => boolean])[] = [
    ['pointsMin=150', { name: 'points', min: 150 }, (contact) => pointsOf(contact) >= 150],
    ['pointsMax=150', { name: 'points', max: '150' }, (contact) => pointsOf(contact) <= 150],
    ['points=150.0', { name: 'points', equals: 150 }, (contact) => pointsOf(contact) === 150],
    [
      'pointsNotEquals=150',
      { name: 'points', notEquals: 150 },
      (contact) => pointsOf(contact) !== 150,
    ],
    [
      'subscribed=true',
      { name: 'subscribed', equals: true },
      ({ customFields }) => customFields?.subscribed === true,
    ],
    [
      'titleContains=MAN',
      { name: 'title', contains: 'man' },
      (contact) => titleOf(contact).toLowerCase().includes('man'),
    ],
  ]

  test.each(cases)('%s', async (parameter, condition, meets) => {
    const expected = (await list('crm/contacts')).filter(meets).map(({ remoteId }) => remoteId)
    expect(expected.length).toBeGreaterThan(0)
    const found = await list('crm/contacts', `&customFields.${parameter}`)
    expect(found.map(({ remoteId }) => remoteId)).toEqual(expected)
    const { service, tenant, credentialId } = sandbox
    const { data, errors } = await service.graphql(
      tenant.key,
      `query ($id: ID!, $where: [CustomFieldFilter!]) {
        crmContacts(credentialId: $id, filter: { customFields: $where }) { totalCount }
        crmContactsAggregate(credentialId: $id, filter: { customFields: $where }) { count }
      }`,
      { id: credentialId, where: [condition] },
    )
    expect(errors).toEqual([])
    expect(data.crmContacts.totalCount).toBe(expected.length)
    expect(data.crmContactsAggregate).toEqual([{ count: expected.length }])
    const url = `/crm/contacts/aggregate?credentialId=${credentialId}&customFields.${parameter}`
    const aggregate = await service.rest(tenant.key, url)
    expect(aggregate.json()).toEqual({ groups: [{ key: {}, count: expected.length }] })
  })

  test('a day and a decimal are compared as such', async () => {
    const invoices = await list('accounting/invoices')
    const { customFields } =
      invoices.find((contact) => contact.customFields?.approved != null) ?? {}
    const day = String(customFields?.approved).slice(0, 10)
    const onDay = invoices.filter(
      (contact) => contact.customFields?.approved === `${day}T00:00:00.000Z`,
    )
    expect(await list('accounting/invoices', `&customFields.approved=${day}`)).toEqual(onDay)
    expect(await list('accounting/invoices', `&customFields.approvedMax=1999-12-31`)).toEqual([])
    const discounted = invoices.filter((contact) => Number(contact.customFields?.discount) >= 2)
    expect(await list('accounting/invoices', '&customFields.discountMin=2')).toEqual(discounted)
  })

  test('cost one statement for the types of the custom fields', async () => {
    sandbox.service.takeStatements()
    await list('crm/contacts', '&customFields.pointsMin=1&customFields.title=x')
    expect(sandbox.service.takeStatements()).toHaveLength(2)
  })

  test.each([
    ['customFields.point=1', 'customFields.point', 'such as points'],
    [
      'customFields.titleMin=a',
      'customFields.titleMin',
      'one of customFields.title, customFields.titleContains, customFields.titleNotEquals, which',
    ],
    ['customFields.points=many', 'customFields.points', 'number'],
    ['customFields=1', 'customFields', 'customFields.tier=gold'],
  ])('%s is rejected by name', async (parameter, field, expected) => {
    const { service, tenant, credentialId } = sandbox
    const url = `/crm/contacts?credentialId=${credentialId}&${parameter}`
    const response = await service.rest(tenant.key, url)
    expect(response.statusCode, response.body).toBe(400)
    const detail = { field, expected: expect.stringContaining(expected) }
    expect(response.json().error).toMatchObject({ code: 'INVALID_PARAMETER', details: [detail] })
  })

  const CONDITION = 'customFields: [{ name: "points", min: 1 }]'
  test.each([
    [
      'below another record',
      `crmAccounts(credentialId: $id, first: 1) { nodes { contacts(filter: { ${CONDITION} }) { totalCount } } }`,
      'customFields',
    ],
    [
      'in a nested filter',
      `crmContacts(credentialId: $id, filter: { or: [{ ${CONDITION} }] }) { totalCount }`,
      'or[0].customFields',
    ],
    [
      'of an aggregate in a filter of linked records',
      `crmAccountsAggregate(credentialId: $id, filter: { contacts: { some: { ${CONDITION} } } }) { count }`,
      'contacts.some.customFields',
    ],
    [
      'with a value that is null',
      'crmContacts(credentialId: $id, filter: { customFields: [{ name: "points", min: 1, max: null }] }) { totalCount }',
      'customFields[0].max',
    ],
    [
      'that are null',
      'crmContacts(credentialId: $id, filter: { customFields: null }) { totalCount }',
      'customFields',
    ],
  ])('%s are rejected', async (_what, field, path) => {
    const { service, tenant, credentialId } = sandbox
    const query = `query ($id: ID!) { ${field} }`
    const { errors } = await service.graphql(tenant.key, query, { id: credentialId })
    expect(errors[0]?.extensions).toMatchObject({
      code: 'INVALID_PARAMETER',
      details: [{ field: path }],
    })
  })
})

describe.each(transports)('writing over %s', (transport) => {
  test('sets the fields of the app, and the response and the change log have the new values', async () => {
    const records = sandbox.over(transport)
    const input = { lastName: 'Noether', customFields: { points: 40, title: 'Professor' } }
    const created = await records.create('crm/contacts', input)
    expect(created.status, created.message).toBe(200)
    const { remoteId } = created.record
    const inApp = await sandbox.readInApp('people', remoteId)
    expect(inApp).toMatchObject({ loyalty_points: 40, job_title: 'Professor', newsletter: false })
    await sandbox.takeChanges()
    const customFields = { points: 41.0, title: null }
    const updated = await records.patch('crm/contacts', remoteId, { customFields })
    expect(updated.status, updated.message).toBe(200)
    const [stored] = (await list('crm/contacts', `&remoteId=${remoteId}`)) ?? []
    expect(stored?.customFields).toEqual({ points: 41, subscribed: false, title: null })
    const [change] = await sandbox.takeChanges()
    expect(change).toMatchObject({ kind: 'updated', remoteId })
    expect(change?.fields).toContain('customFields')
    await sandbox.sync()
    expect(await sandbox.takeChanges()).toEqual([])
  })

  test.each([
    [{ point: 1 }, 'customFields.point'],
    [{ points: 'many' }, 'customFields.points'],
    [{ points: '0.12345678901234567890' }, 'customFields.points'],
  ])('rejects %o by name', async (customFields, field) => {
    const records = sandbox.over(transport)
    const outcome = await records.create('crm/contacts', { lastName: 'Noether', customFields })
    expect(outcome).toMatchObject({ status: 400, code: 'INVALID_PARAMETER', details: [{ field }] })
  })

  test('names the custom field that the app rejects', async () => {
    const records = sandbox.over(transport)
    const input = { lastName: 'Noether', customFields: { points: -1 } }
    const outcome = await records.create('crm/contacts', input)
    expect(outcome).toMatchObject({
      status: 400,
      code: 'APP_REFUSED',
      details: [{ field: 'customFields.points' }],
    })
  })
})

describe('definitions', () => {
  test('both transports list the fields that the app describes', async () => {
    const input = {
      userId: sandbox.tenant.userId,
      credentialId: sandbox.credentialId,
      resource: 'crm/contacts',
    }
    for (const transport of transports) {
      const { result } = await call('credentialFields', input, transport)
      expect(result).toContainEqual({
        remoteField: 'contact_by',
        label: 'Contact by',
        type: 'text',
        writable: true,
        options: ['email', 'phone', 'post'],
      })
    }
  })

  test.each([
    [{ name: '1st' }, 'name'],
    [{ name: 'pointsMax' }, 'name'],
    [{ name: 'pointsIn' }, 'name'],
    [{ name: 'points' }, 'name'],
    [{ remoteField: 'a..b' }, 'remoteField'],
    [{ resource: 'crm/contact' }, 'resource'],
    [{ app: 'sandbx' }, 'app'],
  ])('rejects %o', async (wrong, field) => {
    const valid = { ...CONTACTS, name: 'other', type: 'text', remoteField: 'contact_by' }
    const { status, code, message } = await call('createCustomField', { ...valid, ...wrong })
    expect({ status, code }).toEqual({ status: 400, code: 'INVALID_PARAMETER' })
    expect(message).toContain(field)
  })

  test('a field of the credential takes precedence; a change and a deletion reach every record', async () => {
    const { credentialId } = sandbox
    const title = { name: 'title', type: 'text', remoteField: 'contact_by' }
    const own = await create({ ...CONTACTS, ...title, credentialId })
    await sandbox.sync()
    for (const { customFields, remoteFields } of await list('crm/contacts'))
      expect(customFields?.title).toBe(remoteFields.contact_by)
    const changed = { ...title, name: 'contactBy' }
    expect((await call('updateCustomField', { id: own.id, ...changed })).status).toBe(200)
    await sandbox.sync()
    for (const { customFields, remoteFields } of await list('crm/contacts'))
      expect(customFields).toMatchObject({
        contactBy: remoteFields.contact_by,
        title: remoteFields.job_title,
      })
    const { result } = await call('customFields', { resource: 'crm/contacts' }, 'GraphQL')
    for (const { id } of result) await call('deleteCustomField', { id })
    await sandbox.sync()
    for (const contact of await list('crm/contacts'))
      expect(contact).not.toHaveProperty('customFields')
  })
})
