/**
 * HubSpot by a simulator that was made from its contract by another hand: connected through the consent page,
 * listed, changed, written in conflict, deleted, and reported by webhooks.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defineProperty } from '../simulators/hubspot/property-definitions.ts'
import { expected, expectedRecord } from './hubspot/expected.ts'
import { addFullRecords, type FullRecords } from './hubspot/full-records.ts'
import { MAX_SEARCH_RESULTS, openScene, PORTAL, type Scene } from './hubspot/scene.ts'

const SAMPLES = 120 // more than a page

let scene: Scene
let full: FullRecords
beforeAll(async () => {
  scene = await openScene((portal) => {
    portal.addProperty(
      'contacts',
      defineProperty('tier', 'enumeration', { options: ['gold', 'tin'] }),
    )
    portal.addProperty('contacts', defineProperty('visits', 'number'))
    full = addFullRecords(portal)
    portal.addSamples(SAMPLES)
    portal.archiveOwner(portal.addOwner('gone@example.com', 'Gone', 'Owner'))
  })
  await scene.synced()
})
afterAll(() => scene?.stop())

/** Compares all records of a topic with those of the portal. */
const compareAll = async (topic: string): Promise<void> => {
  const { portal, list } = scene
  const [type] = expected[topic] ?? []
  const users = await list('users')
  const ids = new Map<string, string>()
  for (const one of ['accounts', 'contacts', 'opportunities', 'stages', 'users'])
    for (const { id, remoteId } of await list(one)) ids.set(`${one} ${remoteId}`, id)
  const facts = {
    portal,
    owners: Object.fromEntries(users.map(({ remoteId, name }) => [remoteId, name])),
    idOf: (one: string, remoteId: string | undefined) => ids.get(`${one} ${remoteId}`) ?? null,
  }
  const stored = new Map((await list(topic)).map((record) => [record.remoteId, record]))
  const remote = portal.list(String(type))
  expect([...stored.keys()].sort()).toEqual(remote.map(({ id }) => id).sort())
  for (const record of remote) {
    const { id: _, createdAt, updatedAt, remoteFields, ...fields } = stored.get(String(record.id))
    expect(fields).toEqual(expectedRecord(topic, record, facts))
  }
}

describe('the first sync', () => {
  test('names the credential after its account', async () => {
    const { result } = await scene.call('userCredentials', { userId: scene.tenant.userId })
    expect(JSON.stringify(result)).toContain(`HubSpot ${PORTAL}`)
  })

  test.each(Object.keys(expected))('stores all %s as the portal holds them', async (topic) => {
    await compareAll(topic)
  })

  test('stores the properties without a unified field in remoteFields', async () => {
    const propertiesOf = async (topic: string, id: string) =>
      (await scene.find(topic, id)).remoteFields.properties
    expect(await propertiesOf('accounts', full.company)).toMatchObject({
      ...{ domain: 'harbour.example', annualrevenue: '1000000', lifecyclestage: 'customer' },
      ...{ type: 'PARTNER', address2: '4th' },
    })
    expect(await propertiesOf('contacts', full.contact)).toMatchObject({
      ...{ jobtitle: 'Professor', lifecyclestage: 'lead', hs_lead_status: 'OPEN', tier: 'gold' },
      ...{ visits: '3', hs_additional_emails: 'e@harbour.example' },
    })
    expect(await propertiesOf('opportunities', full.deal)).toMatchObject({
      ...{ deal_currency_code: 'EUR', dealtype: 'newbusiness', pipeline: 'default' },
    })
    expect(await propertiesOf('leads', full.lead)).toMatchObject({
      ...{ hs_lead_type: 'UPSELL', hs_lead_label: 'HOT', hs_pipeline: 'lead-pipeline-id' },
      hs_pipeline_stage: 'new-stage-id',
    })
    expect(await propertiesOf('notes', full.note)).toMatchObject({ hs_attachment_ids: '7;8' })
    expect(await propertiesOf('tasks', full.task)).toMatchObject({
      ...{ hs_task_priority: 'HIGH', hs_task_type: 'CALL' },
    })
  })

  test('stores the stages of deals and the users, who stay when they leave', async () => {
    const stages = await scene.list('stages')
    expect(stages).toHaveLength(7)
    expect(await scene.find('stages', 'contractsent')).toMatchObject({
      ...{ stageName: 'Contract Sent', pipelineName: 'Sales Pipeline' },
      ...{ displayOrder: 4, probability: 90, remoteDeleted: false },
    })
    const users = (await scene.list('users')).map(({ name, email, isActive }) => [
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

describe('changes', () => {
  const LAG_MS = 2000

  test('are found once the index has them, also if that is late', async () => {
    const { app, portal, find, synced } = scene
    app.clock.advance(60_000)
    portal.update('contacts', full.contact, { firstname: 'Amalie' })
    await synced()
    expect(await find('contacts', full.contact)).toMatchObject({ firstName: 'Emmy' })
    app.clock.advance(LAG_MS)
    await synced()
    expect(await find('contacts', full.contact)).toMatchObject({ firstName: 'Amalie' })
  })

  test('are found in every resource, with the current values', async () => {
    const { app, portal, find, synced } = scene
    app.clock.advance(600_000)
    portal.update('companies', full.company, { name: 'Harbour' })
    portal.update('deals', full.deal, { dealstage: 'closedlost' })
    portal.update('leads', full.lead, { hs_lead_name: 'Fewer lamps' })
    portal.update('notes', full.note, { hs_note_body: 'Bye' })
    portal.update('tasks', full.task, { hs_task_status: 'WAITING' })
    app.clock.advance(LAG_MS)
    // The index does not have this value yet, the record has.
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
    for (const topic of Object.keys(expected)) await compareAll(topic)
  })

  test('of more records than a search returns are found, although all have the same time', async () => {
    const { app, portal, synced } = scene
    app.clock.advance(600_000)
    app.clock.freeze()
    for (let at = 0; at < MAX_SEARCH_RESULTS + 50; at++)
      portal.create('companies', { name: `Import ${at}` })
    app.clock.resume()
    app.clock.advance(LAG_MS)
    await synced()
    await compareAll('accounts')
  })

  test('by a merge move everything to the new record', async () => {
    const { app, portal, find, synced } = scene
    app.clock.advance(600_000)
    const [one, other] = portal
      .list('contacts')
      .slice(-2)
      .map(({ id }) => String(id))
    const { id } = portal.merge('contacts', String(one), String(other))
    app.clock.advance(LAG_MS)
    await synced()
    expect(await find('contacts', String(id))).toBeDefined()
    await compareAll('contacts')
  })

  test('that no search shows are found by a full listing', async () => {
    const { app, call, credentialId, portal, synced, tenant } = scene
    app.clock.advance(600_000)
    const [archived, erased] = portal
      .list('contacts')
      .slice(-2)
      .map(({ id }) => String(id))
    portal.archive('contacts', String(archived))
    portal.purge('contacts', String(erased))
    // An association changes no time.
    const [other] = portal.list('companies').map(({ id }) => String(id))
    portal.associate('contacts', full.contact, { type: 'companies', id: String(other), typeId: 1 })
    // A missing record is deleted once a second listing confirms it.
    for (const _ of ['first', 'second']) {
      const input = { userId: tenant.userId, credentialId, resource: 'crm/contacts' }
      expect(await call('startReconciliation', input)).toMatchObject({ status: 201 })
      await synced()
    }
    await compareAll('contacts')
  })
})
