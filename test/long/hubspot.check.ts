/**
 * HubSpot by a simulator that was made from its contract by another hand: connected through the consent page,
 * listed, changed, written in conflict, deleted, and reported by webhooks.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defineProperty } from '../simulators/hubspot/property-definitions.ts'
import { expected, expectedRecord } from './hubspot/expected.ts'
import { addFullRecords, type FullRecords } from './hubspot/full-records.ts'
import { openScene, PORTAL, type Scene } from './hubspot/scene.ts'

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
