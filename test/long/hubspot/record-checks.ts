/** Checks of the records of a portal: what the API shows of them, and what writes do to them. */
import { expect } from 'vitest'
import { expected, expectedRecord } from './expected.ts'
import type { Harness } from './harness.ts'

export const createRecordChecks = (harness: Harness) => {
  /** Compares all records of a topic with those of the portal. */
  const compareAll = async (topic: string): Promise<void> => {
    const { portal, list } = harness
    const [type] = expected[topic] ?? []
    const users = await list('users')
    const ids = new Map<string, string>()
    for (const plural of ['accounts', 'contacts', 'opportunities', 'stages', 'users'])
      for (const { id, remoteId } of await list(plural)) ids.set(`${plural} ${remoteId}`, id)
    const facts = {
      portal,
      owners: Object.fromEntries(users.map(({ remoteId, name }) => [remoteId, name])),
      idOf: (plural: string, remoteId: string | undefined) =>
        ids.get(`${plural} ${remoteId}`) ?? null,
    }
    const stored = new Map((await list(topic)).map((record) => [record.remoteId, record]))
    const remote = portal.list(String(type))
    expect([...stored.keys()].sort()).toEqual(remote.map(({ id }) => id).sort())
    for (const record of remote) {
      const { id: _, createdAt, updatedAt, remoteFields, ...fields } = stored.get(String(record.id))
      expect(fields).toEqual(expectedRecord(topic, record, facts))
    }
  }

  /** The id in this API of a record of the app. */
  const idOf = async (topic: string, remoteId: string): Promise<string> =>
    (await harness.find(topic, remoteId)).id

  /** Creates a record over the API, and compares the response with the record that is stored and with the app. */
  const create = async (topic: string, name: string, input: object) => {
    const { status, body } = await harness.write('POST', topic, input)
    expect(status, JSON.stringify(body)).toBe(200)
    const record = body[name]
    expect(await harness.find(topic, record.remoteId)).toMatchObject(input)
    await compareAll(topic)
    return record
  }

  /** Updates a record over the API, and compares all records with those of the portal. */
  const update = async (topic: string, name: string, id: string, input: object) => {
    const { status, body } = await harness.write('PATCH', `${topic}/${id}`, input)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body[name]).toMatchObject(input)
    await compareAll(topic)
  }

  /** Deletes a record over the API, which archives it in the portal. */
  const remove = async (topic: string, { id, remoteId }: { id: string; remoteId: string }) => {
    expect((await harness.write('DELETE', `${topic}/${id}`)).status).toBeLessThan(300)
    const [type] = expected[topic] ?? []
    expect(harness.portal.find(String(type), remoteId)).toMatchObject({ archived: true })
    expect(await harness.find(topic, remoteId)).toBeUndefined()
  }

  return { compareAll, idOf, create, update, remove }
}
