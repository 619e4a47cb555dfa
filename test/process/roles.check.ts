/** Three processes on one PostgreSQL, each killed at some point: acknowledged writes are delivered. */
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../delivery/receiver.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { openServices, type Services } from './service-process.ts'

let database: TestDatabase
let receiver: Receiver
let services: Services

beforeAll(async () => {
  database = await createTestDatabase()
  receiver = await startReceiver()
  services = await openServices(database.url)
})
afterAll(async () => {
  await services.close()
  await receiver.stop()
  await database.drop()
})

test('an API and two workers are each killed, and every written record is delivered', async () => {
  const { call, start } = services
  // All start at the same time, on an empty database.
  const [api, first, second] = await Promise.all([start('api'), start('worker'), start('worker')])
  const { data: users } = await call(api.address, '/2024-03/one/users')
  expect(users).toHaveLength(1)
  const { data: credentials } = await call(
    api.address,
    `/2024-03/users/${users[0].userId}/credentials`,
  )
  const query = `credentialId=${credentials[0].credentialId}`
  await call(api.address, '/2024-03/one/webhooks', {
    address: `${receiver.origin}/hook`,
    topic: ['crm/contacts'],
  })

  const written: string[] = []
  const write = async (address: string, name: string): Promise<void> => {
    const path = `/2024-03/one/crm/contacts?${query}`
    const { contact } = await call(address, path, { lastName: name })
    written.push(contact.id)
  }
  for (let n = 0; n < 10; n++) await write(api.address, `before ${n}`)
  await first.end('SIGKILL')
  for (let n = 0; n < 10; n++) await write(api.address, `one worker ${n}`)
  const third = await start('worker')
  await second.end('SIGKILL')
  for (let n = 0; n < 10; n++) await write(api.address, `another ${n}`)
  await api.end('SIGKILL')
  const next = await start('api')
  for (let n = 0; n < 10; n++) await write(next.address, `after ${n}`)

  const countCreated = () =>
    receiver.at('/hook').flatMap(({ id, body }) => {
      const { data } = JSON.parse(body)
      return data.kind === 'created' ? [{ id, recordId: String(data.recordId) }] : []
    })
  const isMissing = (): string[] => {
    const arrived = new Set(countCreated().map(({ recordId }) => recordId))
    return written.filter((id) => !arrived.has(id))
  }
  const killedMs = performance.now()
  while (isMissing().length > 0 && performance.now() - killedMs < 60_000) await wait(100)
  expect(isMissing()).toEqual([])
  // Duplicates share one id.
  const names = new Map<string, Set<string>>()
  for (const { id, recordId } of countCreated())
    names.set(recordId, (names.get(recordId) ?? new Set()).add(id))
  for (const ids of names.values()) expect(ids.size).toBe(1)
  console.log(
    `${written.length} written, ${written.length} delivered, 3 processes killed, ${countCreated().length - names.size} repeated`,
  )
  await third.end('SIGKILL')
  await next.end('SIGKILL')
}, 240_000)
