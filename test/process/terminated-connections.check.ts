/** Every database connection is terminated repeatedly under load: the process survives and loses nothing. */
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts'
import { openServices, type Services } from './service-process.ts'

const ROUNDS = 40
const WRITERS = 20
const WRITES_BETWEEN = 5
const TOPIC = 'crm/contacts'
// A write fails because the database, or the sandbox app in it, is unavailable.
const EXPECTED = ['NOT_READY', 'APP_UNAVAILABLE', 'WRITE_OUTCOME_UNKNOWN', 'WRITE_CONFLICT']

let database: TestDatabase
let services: Services
let control: Client
beforeAll(async () => {
  database = await createEmptyDatabase()
  services = await openServices(database.url)
  control = new Client({ connectionString: database.url })
  await control.connect()
})
afterAll(async () => {
  await services.close()
  await control.end()
  await database.drop()
})

const terminateOthers = () =>
  control.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`)

interface Target {
  readonly address: string
  readonly credentialId: string
  readonly writer: number
}

/** Writes versions of one record until `isOver`; calls `onWritten` with each acknowledged one. */
const writeVersions = async (
  { address, credentialId, writer }: Target,
  isOver: () => boolean,
  onWritten: (name: string) => void,
): Promise<void> => {
  let id: string | undefined
  for (let version = 1; !isOver(); version++) {
    const name = `version ${version} of ${writer}`
    const response = await services.send(
      address,
      id ? 'PUT' : 'POST',
      `/2024-03/one/${TOPIC}${id ? `/${id}` : ''}?credentialId=${credentialId}`,
      { lastName: name },
    )
    if (response.status === 200) {
      id ??= String(JSON.parse(response.text).contact.id)
      onWritten(name)
    } else {
      expect(EXPECTED).toContain(JSON.parse(response.text).error.code)
      await wait(20)
    }
  }
}

test(`${ROUNDS} rounds of terminating all connections lose no write of ${WRITERS} writers`, async () => {
  const service = await services.start('all')
  const { address } = service
  const { data: users } = await services.call(address, '/2024-03/one/users')
  const path = `/2024-03/users/${users[0].userId}/credentials`
  const { data: credentials } = await services.call(address, path)
  const { credentialId } = credentials[0]

  const written: string[] = []
  let isOver = false
  const writing = Array.from({ length: WRITERS }, (_, writer) =>
    writeVersions(
      { address, credentialId, writer },
      () => isOver,
      (name) => void written.push(name),
    ),
  )
  // Rejects when the process has exited, because its requests fail then.
  const allEnded = Promise.all(writing)
  const untilMoreWritten = async (): Promise<void> => {
    const before = written.length
    const more = expect.poll(() => written.length - before, { timeout: 60_000, interval: 5 })
    await Promise.race([more.toBeGreaterThanOrEqual(WRITES_BETWEEN), allEnded])
  }
  for (let round = 0; round < ROUNDS; round++) {
    await untilMoreWritten()
    await terminateOthers()
  }
  await untilMoreWritten()
  isOver = true
  await allEnded

  expect(service.ended()).toBeUndefined()
  const logged = await control.query<{ name: string }>(
    `SELECT DISTINCT record::jsonb ->> 'lastName' AS name FROM change_log.changes WHERE topic = $1`,
    [TOPIC],
  )
  const names = new Set(logged.rows.map(({ name }) => name))
  expect(written.filter((name) => !names.has(name))).toEqual([])
  expect(await service.end('SIGTERM')).toBe('0')
  console.log(`${ROUNDS} rounds: ${written.length} writes acknowledged, 0 lost`)
}, 900_000)
