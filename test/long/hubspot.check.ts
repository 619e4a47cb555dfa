/**
 * The HubSpot connector against a simulator that was written from HubSpot's contract alone: a portal is connected
 * through the consent page, listed, changed, written to (with conflicts), deleted from, and reported by webhooks.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createInboundWorker, type InboundWorker } from '../../src/inbound/worker.ts'
import { addFidelityTest } from '../support/fidelity.ts'
import { expected } from './hubspot/expected.ts'
import { addFullRecords, type FullRecords } from './hubspot/full-records.ts'
import { client, type Harness, MAX_SEARCH_RESULTS, openHarness, PORTAL } from './hubspot/harness.ts'
import { createRecordChecks } from './hubspot/record-checks.ts'

const SAMPLES = 120 // more than a page of records

let harness: Harness
let checks: ReturnType<typeof createRecordChecks>
let full: FullRecords
beforeAll(async () => {
  harness = await openHarness((portal) => {
    full = addFullRecords(portal)
    portal.addSamples(SAMPLES)
    // Records without references to them, which the tests merge, archive and erase.
    for (const lastname of ['A', 'B', 'C', 'D']) portal.create('contacts', { lastname })
    for (const dealname of ['A', 'B'])
      portal.create('deals', { dealname, dealstage: 'contractsent' })
    portal.archiveOwner(portal.addOwner('gone@example.com', 'Gone', 'Owner'))
  })
  checks = createRecordChecks(harness)
  await harness.syncNow()
})
afterAll(() => harness?.stop())

describe('the first sync', () => {
  test('names the credential after its account', async () => {
    const { result } = await harness.call('userCredentials', { userId: harness.tenant.userId })
    expect(JSON.stringify(result)).toContain(`HubSpot ${PORTAL}`)
  })

  test.each(Object.keys(expected))('stores all %s as the portal holds them', async (topic) => {
    await checks.compareAll(topic)
    const [first] = await harness.list(topic)
    const { service, tenant, credentialId } = harness
    const path = `/crm/${topic}/${first.id}?credentialId=${credentialId}`
    expect(Object.values((await service.rest(tenant.key, path)).json())).toEqual([first])
  })

  test('stores the properties without a unified field in remoteFields', async () => {
    const propertiesOf = async (topic: string, id: string) =>
      (await harness.find(topic, id)).remoteFields.properties
    expect(await propertiesOf('accounts', full.company)).toMatchObject({
      domain: 'harbour.example',
      annualrevenue: '1000000',
      lifecyclestage: 'customer',
      type: 'PARTNER',
      address2: '4th',
    })
    expect(await propertiesOf('contacts', full.contact)).toMatchObject({
      jobtitle: 'Professor',
      lifecyclestage: 'lead',
      hs_lead_status: 'OPEN',
      tier: 'gold',
      visits: '3',
      hs_additional_emails: 'e@harbour.example',
    })
    expect(await propertiesOf('opportunities', full.deal)).toMatchObject({
      dealtype: 'newbusiness',
      pipeline: 'default',
    })
    expect(await propertiesOf('leads', full.lead)).toMatchObject({
      hs_lead_type: 'UPSELL',
      hs_lead_label: 'HOT',
      hs_pipeline: 'lead-pipeline-id',
      hs_pipeline_stage: 'new-stage-id',
    })
    expect(await propertiesOf('notes', full.note)).toMatchObject({ hs_attachment_ids: '7;8' })
    expect(await propertiesOf('tasks', full.task)).toMatchObject({
      hs_task_priority: 'HIGH',
      hs_task_type: 'CALL',
    })
  })

  test('stores the stages of deals and the users, who stay when they leave', async () => {
    const stages = await harness.list('stages')
    expect(stages).toHaveLength(7)
    expect(await harness.find('stages', 'contractsent')).toMatchObject({
      stageName: 'Contract Sent',
      pipelineName: 'Sales Pipeline',
      displayOrder: 4,
      probability: 90,
      remoteDeleted: false,
    })
    const users = (await harness.list('users')).map(({ name, email, isActive }) => [
      name,
      email,
      isActive,
    ])
    expect(users.sort()).toEqual([
      ['Ada Byron', 'ada@example.com', true],
      ['Gone Owner', 'gone@example.com', false],
    ])
  })
})

// Before the other tests, which move the app's clock: a signature is valid for five minutes.
describe('webhooks', () => {
  let worker: InboundWorker
  afterAll(() => worker?.stop())

  /** Sends the webhooks that are due. */
  const deliver = async (): Promise<void> => {
    harness.app.clock.advance(5000)
    const statuses = (await harness.app.webhooks.deliver()).map(({ status }) => status)
    expect(statuses.length).toBeGreaterThan(0)
    expect(statuses).toEqual(statuses.map(() => 200))
  }

  test('are received at one address for all accounts', async () => {
    const { app, call, service, tenant } = harness
    const { port, publicUrl } = harness
    await service.server.listen({ port, host: '127.0.0.1' })
    worker = createInboundWorker({ ...service.runtime, publicUrl })
    await worker.start()
    const pathOf = async (): Promise<string> => {
      const { result } = await call('userCredentials', { userId: tenant.userId })
      return result[0].webhooks?.path ?? ''
    }
    await expect.poll(pathOf).toContain('/webhooks/hubspot/')
    const url = publicUrl + (await pathOf())
    app.webhooks.subscribe({ id: 'app', url, secret: client.clientSecret })
  })

  test('report changes and archived, restored and merged records of every type', async () => {
    const { find, portal } = harness
    portal.update('contacts', full.contact, { firstname: 'Webhook' })
    portal.update('companies', full.company, { description: 'Webhook' })
    portal.update('leads', full.lead, { hs_lead_name: 'Webhook' })
    portal.update('tasks', full.task, { hs_task_body: 'Webhook' })
    const [one, other] = portal
      .list('deals')
      .slice(-2)
      .map(({ id }) => String(id))
    const merged = portal.merge('deals', String(one), String(other))
    const [note] = portal
      .list('notes')
      .slice(-1)
      .map(({ id }) => String(id))
    portal.archive('notes', String(note))
    await deliver()
    await expect.poll(async () => (await find('contacts', full.contact)).firstName).toBe('Webhook')
    await expect
      .poll(async () => (await find('accounts', full.company)).description)
      .toBe('Webhook')
    await expect.poll(async () => (await find('leads', full.lead)).leadTitle).toBe('Webhook')
    await expect.poll(async () => (await find('tasks', full.task)).taskContent).toBe('Webhook')
    await expect.poll(async () => find('opportunities', String(merged.id))).toBeDefined()
    await expect.poll(async () => find('opportunities', String(one))).toBeUndefined()
    await expect.poll(async () => find('notes', String(note))).toBeUndefined()
    portal.restore('notes', String(note))
    await deliver()
    await expect.poll(async () => find('notes', String(note))).toBeDefined()
  })

  test('report associations, which no search finds', async () => {
    const { find, portal } = harness
    const [company] = portal
      .list('companies')
      .slice(-1)
      .map(({ id }) => String(id))
    portal.associate('contacts', full.contact, {
      type: 'companies',
      id: String(company),
      typeId: 1,
    })
    await deliver()
    await expect
      .poll(async () => (await find('contacts', full.contact)).account.remoteId)
      .toBe(company)
    await checks.compareAll('contacts')
  })
})

describe('changes', () => {
  const LAG_MS = 2000

  test('are found in every resource, with the current values', async () => {
    const { app, portal, find, syncNow: synced } = harness
    app.clock.advance(60_000)
    portal.update('companies', full.company, { name: 'Harbour' })
    portal.update('deals', full.deal, { dealstage: 'closedlost' })
    portal.update('leads', full.lead, { hs_lead_name: 'Fewer lamps' })
    portal.update('notes', full.note, { hs_note_body: 'Bye' })
    portal.update('tasks', full.task, { hs_task_status: 'WAITING' })
    app.clock.advance(LAG_MS)
    // The record has this value, and the search index does not have it yet.
    portal.update('companies', full.company, { industry: 'BANKING' })
    await synced()
    expect(await find('accounts', full.company)).toMatchObject({
      accountName: 'Harbour',
      industry: 'BANKING',
    })
    expect(await find('opportunities', full.deal)).toMatchObject({ opportunityStatus: 'lost' })
    expect(await find('leads', full.lead)).toMatchObject({ leadTitle: 'Fewer lamps' })
    expect(await find('notes', full.note)).toMatchObject({ noteContent: 'Bye' })
    expect(await find('tasks', full.task)).toMatchObject({
      taskStatus: 'WAITING',
      completedDate: null,
    })
    for (const topic of Object.keys(expected)) await checks.compareAll(topic)
  })

  test('are found once the search index has them, however late', async () => {
    const { app, portal, find, syncNow: synced } = harness
    // A search starts minutes before the latest change that was found, and would find the earlier one of the
    // contact.
    app.clock.advance(360_000)
    const { firstName } = await find('contacts', full.contact)
    const others = portal.list('contacts').filter(({ id }) => id !== full.contact)
    portal.update('contacts', String(others[0]?.id), { fax: '9' })
    app.clock.advance(LAG_MS)
    await synced()
    portal.update('contacts', full.contact, { firstname: 'Amalie' })
    await synced()
    expect(await find('contacts', full.contact)).toMatchObject({ firstName })
    app.clock.advance(LAG_MS)
    await synced()
    expect(await find('contacts', full.contact)).toMatchObject({ firstName: 'Amalie' })
  })

  test('of more records than a search returns are found, although all have the same time', async () => {
    const { app, portal, syncNow: synced } = harness
    app.clock.advance(60_000)
    app.clock.freeze()
    for (let at = 0; at < MAX_SEARCH_RESULTS + 50; at++)
      portal.create('companies', { name: `Import ${at}` })
    app.clock.resume()
    app.clock.advance(LAG_MS)
    await synced()
    await checks.compareAll('accounts')
  })

  test('by a merge are found: the new record has everything', async () => {
    const { app, portal, find, syncNow: synced } = harness
    app.clock.advance(60_000)
    const [one, other] = portal
      .list('contacts')
      .slice(-2)
      .map(({ id }) => String(id))
    const { id } = portal.merge('contacts', String(one), String(other))
    app.clock.advance(LAG_MS)
    await synced()
    expect(await find('contacts', String(id))).toBeDefined()
    await checks.compareAll('contacts')
  })

  test('that no search shows are found by a full listing', async () => {
    const { app, call, credentialId, portal, syncNow: synced, tenant } = harness
    app.clock.advance(60_000)
    const [archived, erased] = portal
      .list('contacts')
      .slice(-2)
      .map(({ id }) => String(id))
    portal.archive('contacts', String(archived))
    portal.purge('contacts', String(erased))
    // Writing an association changes no update time.
    const [other] = portal.list('companies').map(({ id }) => String(id))
    portal.associate('contacts', full.contact, { type: 'companies', id: String(other), typeId: 1 })
    // A missing record is deleted once a second listing confirms it.
    for (const _ of ['first', 'second']) {
      const input = { userId: tenant.userId, credentialId, resource: 'crm/contacts' }
      expect(await call('startReconciliation', input)).toMatchObject({ code: undefined })
      await synced()
    }
    await checks.compareAll('contacts')
  })
})

describe('a write', () => {
  test('creates, changes and deletes an account', async () => {
    const record = await checks.create('accounts', 'account', {
      accountName: 'New',
      accountOwner: 'Ada Byron',
      description: 'D',
      industry: 'BANKING',
      website: 'https://new.example',
      numberOfEmployees: 7,
      addresses: [
        {
          addressType: 'PRIMARY',
          street1: 'S',
          city: 'C',
          state: 'T',
          country: 'L',
          postalCode: '1',
        },
      ],
      phoneNumbers: [{ phoneNumberType: 'Primary', phoneNumber: '5' }],
    })
    await checks.update('accounts', 'account', record.id, {
      accountName: 'Newer',
      description: null,
    })
    await checks.remove('accounts', record)
  })

  test('creates, changes and deletes a contact, and moves it to another account', async () => {
    const other = await checks.idOf('accounts', String(harness.portal.list('companies')[3]?.id))
    const { body } = await harness.write('POST', 'contacts', {
      firstName: 'Lise',
      lastName: 'Meitner',
      account: await checks.idOf('accounts', full.company),
      emailAddresses: [
        { emailAddressType: 'PRIMARY', emailAddress: 'Lise@Example.org' },
        { emailAddressType: 'WORK', emailAddress: 'l@work.example' },
      ],
      phoneNumbers: [
        { phoneNumberType: 'Primary', phoneNumber: '1' },
        { phoneNumberType: 'Mobile', phoneNumber: '2' },
        { phoneNumberType: 'Fax', phoneNumber: '3' },
      ],
      addresses: [{ addressType: 'PRIMARY', street1: 'S', city: 'C' }],
    })
    await checks.compareAll('contacts')
    const { id, remoteId } = body.contact
    expect(body.contact.account).toMatchObject({ remoteId: full.company })
    await harness.write('PATCH', `contacts/${id}`, { account: other, lastName: 'M' })
    await checks.compareAll('contacts')
    await harness.write('PATCH', `contacts/${id}`, { account: null, phoneNumbers: [] })
    expect(await harness.find('contacts', remoteId)).toMatchObject({
      account: null,
      phoneNumbers: [],
    })
    await checks.compareAll('contacts')
    await checks.remove('contacts', { id, remoteId })
  })

  test('creates, changes and deletes an opportunity', async () => {
    const record = await checks.create('opportunities', 'opportunity', {
      opportunityName: 'Big',
      opportunityDescription: 'D',
      amount: 0.1,
      opportunityOwner: await checks.idOf('users', full.owner),
      opportunityAccount: await checks.idOf('accounts', full.company),
      opportunityStage: await checks.idOf('stages', 'contractsent'),
      closeDate: '2026-12-31T00:00:00.000Z',
    })
    await checks.update('opportunities', 'opportunity', record.id, {
      opportunityStage: await checks.idOf('stages', 'closedwon'),
      amount: null,
    })
    await checks.remove('opportunities', record)
  })

  test('creates, changes and deletes a note, and changes what it is about', async () => {
    const record = await checks.create('notes', 'note', {
      noteContent: 'Hello',
      noteOwner: await checks.idOf('users', full.owner),
      noteContact: await checks.idOf('contacts', full.contact),
      noteAccount: await checks.idOf('accounts', full.company),
      noteOpportunity: await checks.idOf('opportunities', full.deal),
    })
    await checks.update('notes', 'note', record.id, { noteContent: 'Bye', noteContact: null })
    await checks.remove('notes', record)
  })

  test('creates, changes and deletes a task', async () => {
    const record = await checks.create('tasks', 'task', {
      taskSubject: 'Call',
      taskContent: 'Soon',
      taskStatus: 'NOT_STARTED',
      taskOwner: await checks.idOf('users', full.owner),
      taskOpportunity: await checks.idOf('opportunities', full.deal),
      dueDate: '2026-12-31T00:00:00.000Z',
    })
    await checks.update('tasks', 'task', record.id, { taskStatus: 'COMPLETED' })
    await checks.remove('tasks', record)
  })

  test('creates a lead with its contact, changes and deletes it', async () => {
    const record = await checks.create('leads', 'lead', {
      leadTitle: 'Physics',
      leadSource: 'Fair',
      leadOwner: 'Ada Byron',
      firstName: 'Chien',
      lastName: 'Wu',
      emailAddresses: [{ emailAddressType: 'PRIMARY', emailAddress: 'wu@example.org' }],
    })
    await checks.update('leads', 'lead', record.id, { leadTitle: 'More physics', leadOwner: null })
    await checks.remove('leads', record)
  })

  test.each([
    ['accounts', { accountName: 'A', industry: 'Lamps' }, 'industry'],
    ['accounts', { accountName: 'A', accountOwner: 'Nobody' }, 'accountOwner'],
    [
      'contacts',
      {
        lastName: 'A',
        emailAddresses: [{ emailAddressType: 'PRIMARY', emailAddress: 'person0@company0.example' }],
      },
      'emailAddresses',
    ],
    [
      'contacts',
      {
        lastName: 'A',
        emailAddresses: [{ emailAddressType: 'PRIMARY', emailAddress: 'not an address' }],
      },
      'emailAddresses',
    ],
    ['tasks', { taskSubject: 'A', taskStatus: 'done' }, 'taskStatus'],
  ])('that HubSpot rejects names the field: %s %j', async (topic, input, field) => {
    const { status, body } = await harness.write('POST', topic, input)
    expect([status, body.fields ?? body.error?.fields ?? JSON.stringify(body)]).toEqual([
      400,
      expect.stringContaining(field),
    ])
  })

  test('of a record that has changed in the app is a conflict', async () => {
    const id = await checks.idOf('accounts', full.company)
    harness.portal.update('companies', full.company, { phone: '7' })
    const stale = await harness.write('PATCH', `accounts/${id}`, { description: 'Mine' })
    expect(stale.status).toBe(409)
    expect(JSON.stringify(stale.body)).toContain('phoneNumbers')
    expect(harness.portal.find('companies', full.company)).not.toMatchObject({
      properties: { description: 'Mine' },
    })
    expect((await harness.write('PATCH', `accounts/${id}`, { description: 'Mine' })).status).toBe(
      200,
    )
  })

  test('creates one record, although the response is lost', async () => {
    harness.app.faults.add({ kind: 'lost-response' }, { method: 'POST', url: '/contacts' })
    const input = {
      lastName: 'Lost',
      emailAddresses: [{ emailAddressType: 'PRIMARY', emailAddress: 'lost@example.org' }],
    }
    await harness.write('POST', 'contacts', input)
    harness.app.clock.advance(5000)
    await harness.syncNow()
    const named = harness.portal
      .list('contacts')
      .filter(({ properties }) => Object(properties).lastname === 'Lost')
    expect(named).toHaveLength(1)
    await checks.compareAll('contacts')
  })

  test('sets a custom property through the custom field that it is mapped to', async () => {
    const { call, credentialId, find, syncNow: synced, tenant, write } = harness
    const input = { userId: tenant.userId, credentialId, resource: 'crm/contacts' }
    const described = (await call('credentialFields', input)).result
    expect(described).toContainEqual(
      expect.objectContaining({
        remoteField: 'properties.tier',
        type: 'text',
        writable: true,
        options: ['gold', 'tin'],
      }),
    )
    for (const [name, type, remoteField] of [
      ['tier', 'text', 'properties.tier'],
      ['visits', 'number', 'properties.visits'],
    ])
      await call('createCustomField', {
        resource: 'crm/contacts',
        app: 'hubspot',
        name,
        type,
        remoteField,
      })
    await synced()
    const { id, customFields } = await find('contacts', full.contact)
    expect(customFields).toEqual({ tier: 'gold', visits: 3 })
    const changed = await write('PATCH', `contacts/${id}`, {
      customFields: { tier: 'tin', visits: null },
    })
    expect(changed.body.contact.customFields).toEqual({ tier: 'tin', visits: null })
    const { properties } = harness.portal.find('contacts', full.contact) ?? {}
    expect(properties).toMatchObject({ tier: 'tin' })
    expect(properties).not.toHaveProperty('visits')
    const refused = await write('PATCH', `contacts/${id}`, { customFields: { tier: 'lead' } })
    expect(refused.status).toBe(400)
  })
})

test('references can be followed in both directions', async () => {
  const { service, tenant, credentialId } = harness
  const query = `query ($id: ID!) {
    crmAccounts(credentialId: $id, filter: { accountName: "Harbour" }) {
      nodes { contacts { nodes { lastName } } opportunities { nodes { opportunityName } } }
    }
    crmTasks(credentialId: $id, filter: { taskSubject: "Call" }) {
      nodes { opportunity { account { accountName } stage { stageName } } owner { name } }
    }
  }`
  const { data, errors } = await service.graphql(tenant.key, query, { id: credentialId })
  expect(errors).toEqual([])
  expect(data.crmAccounts.nodes[0].opportunities.nodes).toContainEqual({
    opportunityName: 'Lamps',
  })
  expect(data.crmTasks.nodes).toContainEqual({
    opportunity: { account: { accountName: 'Harbour' }, stage: { stageName: 'Closed Lost' } },
    owner: { name: 'Ada Byron' },
  })
})

describe('when requests fail', () => {
  const rename = async (jobtitle: string): Promise<void> => {
    harness.portal.update('contacts', full.contact, { jobtitle })
    harness.app.clock.advance(5000)
  }
  const readJobTitle = async (): Promise<string> =>
    (await harness.find('contacts', full.contact)).remoteFields.properties.jobtitle

  test('a token that expires in the middle is renewed', async () => {
    const { app, syncNow: synced } = harness
    app.oauth.expireAccessTokens()
    await rename('Rector')
    await synced()
    expect(await readJobTitle()).toBe('Rector')
    expect(app.journal.find({ url: '/oauth/2026-03/token' }).length).toBeGreaterThan(1)
  })

  test.each([502, 503, 423])('with status %s they are repeated', async (status) => {
    const { app, syncNow: synced } = harness
    await rename(`After ${status}`)
    app.faults.add({ kind: 'status', status, body: '{}' }, { url: '/contacts/search' })
    await synced()
    expect(await readJobTitle()).toBe(`After ${status}`)
    expect(app.faults.pending()).toBe(0)
  })

  test('by a limit of HubSpot, the run continues once it is over', async () => {
    const { app, syncNow: synced } = harness
    await rename('Patient')
    const body = JSON.stringify({
      status: 'error',
      message: 'You have reached your secondly limit.',
      errorType: 'RATE_LIMIT',
      policyName: 'SECONDLY',
    })
    app.faults.add({ kind: 'status', status: 429, body }, { url: '/contacts/search' })
    await expect
      .poll(async () => {
        await synced().catch(() => undefined)
        return readJobTitle()
      })
      .toBe('Patient')
  })
})

test('an account without leads syncs everything else, and says why leads are missing', async () => {
  const { app, call, connect, list, syncNow: synced, tenant } = harness
  const other = app.addPortal('7', 'Basic', { hasLeads: false })
  other.create('companies', { name: 'Only one' })
  const credentialId = await connect('7')
  await expect(synced(credentialId)).rejects.toThrow()
  expect(await list('accounts', credentialId)).toMatchObject([{ accountName: 'Only one' }])
  expect(await list('stages', credentialId)).toHaveLength(7)
  const { result } = await call('credential', { userId: tenant.userId, credentialId })
  expect(JSON.stringify(result)).toContain('crm.objects.leads.read')
})

addFidelityTest('hubspot', 'documented', () => harness.service)
