/** Writes that overlap with a sync or another write, in the app or here, at any step. */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createMapper } from '../../src/definition/mapping.ts'
import { applyChanges, lockRecords } from '../../src/store/records/apply-changes.ts'
import { createLineWriter } from '../../src/store/records/record-lines.ts'
import { defineRolodexConnector } from '../support/rolodex-connector.ts'
import { untilWaitingForLock } from '../support/waiting-for-lock.ts'
import { CREDENTIAL, openWriteHarness, type WriteHarness } from './write-harness.ts'

let harness: WriteHarness
beforeAll(async () => {
  harness = await openWriteHarness()
})
afterAll(() => harness.stop())

let firm: { readonly id: string; readonly remoteId: string; readonly updatedAt: string }
beforeEach(async () => {
  const body = { accountName: 'Firm', accountOwner: 'First' }
  firm = (await harness.write('POST', '/accounts', body)).json().account
})
afterEach(() => {
  harness.rolodex.onResponse = undefined
})

const change = (accountOwner: string, headers = {}) =>
  harness.write('PUT', `/accounts/${firm.id}`, { accountName: 'Firm', accountOwner }, headers)

test('the log lists a write after the page that it waited for', async () => {
  const { prisma } = harness.service.database
  const mapping = defineRolodexConnector(harness.rolodex.url).resources['crm/accounts']?.mapping
  if (mapping === undefined) throw new Error('The rolodex lists no accounts.')
  const { resource } = mapping
  const owner = { credentialId: CREDENTIAL, environmentId: harness.tenant.environmentId }
  const { values, ...card } = harness.rolodex.put('firms', { owner: 'Page' }, firm.remoteId)
  const { row } = createMapper(mapping)({ ...values, ...card }, CREDENTIAL)
  harness.rolodex.put('firms', { owner: 'Later' }, firm.remoteId)
  let concurrentWrite: ReturnType<typeof change> | undefined
  await harness.service.database.transaction(
    async (transaction) => {
      await lockRecords(transaction, CREDENTIAL, resource)
      // The write finds a newer version in the app than the page, stores it and reports a conflict.
      concurrentWrite = change('Mine')
      await untilWaitingForLock(harness.service)
      const line = createLineWriter(resource)(row)
      await applyChanges(transaction, owner, resource, [line], { accept: 'newer' })
    },
    { timeoutMs: 60_000 },
  )
  expect((await concurrentWrite)?.statusCode).toBe(409)
  const log = await prisma.$queryRaw<{ owner: string }[]>`
    SELECT record->>'accountOwner' AS owner FROM change_log.changes
    WHERE record_id = ${firm.id}::uuid ORDER BY epoch, xid, sequence`
  expect(log.map(({ owner }) => owner)).toEqual(['First', 'Page', 'Later'])
})

test('a write is logged after a page whose storing exceeds Prisma’s transaction timeout', async () => {
  const { resource } =
    defineRolodexConnector(harness.rolodex.url).resources['crm/accounts']?.mapping ?? {}
  if (resource === undefined) throw new Error('The rolodex lists no accounts.')
  const concurrentWrite = await harness.service.database.transaction(async (transaction) => {
    await lockRecords(transaction, CREDENTIAL, resource)
    const response = change('Mine')
    await untilWaitingForLock(harness.service)
    await transaction.prisma.$executeRaw`SELECT pg_sleep(6)`
    return { response }
  })
  const response = await concurrentWrite.response
  expect(response.statusCode, response.body).toBe(200)
  expect((await harness.read(`/accounts/${firm.id}`)).json().account.accountOwner).toBe('Mine')
})

test('does not overwrite a change in the app although a sync stored it in between', async () => {
  harness.rolodex.put('firms', { owner: 'Theirs', branch: 'Steel' }, firm.remoteId)
  harness.rolodex.onResponse = async () => {
    harness.rolodex.onResponse = undefined
    await harness.sync()
  }
  const response = await change('Mine', { 'if-match': `"${firm.updatedAt}"` })
  expect(response.statusCode, response.body).toBe(409)
  expect(response.json().error.details).toContainEqual(
    expect.objectContaining({ field: 'industry', stored: null, current: 'Steel' }),
  )
  expect(harness.rolodex.cards.get(firm.remoteId)?.values.owner).toBe('Theirs')
})

test('a response that arrives after the record was deleted does not restore it', async () => {
  const applied = Promise.withResolvers<void>()
  const deleted = Promise.withResolvers<void>()
  harness.rolodex.onResponse = async (request) => {
    if (!request.startsWith('PUT')) return
    applied.resolve()
    await deleted.promise
  }
  const lateResponse = change('Mine')
  await applied.promise
  harness.rolodex.remove(firm.remoteId)
  await harness.sync()
  deleted.resolve()
  const response = await lateResponse
  expect(response.statusCode, response.body).toBe(200)
  expect(response.json().account.remoteDeleted).toBe(true)
  expect(harness.rolodex.cards.get(firm.remoteId)?.deleted).toBe(true)
  expect((await harness.read(`/accounts/${firm.id}`)).json().account.remoteDeleted).toBe(true)
})

test.each(['PUT', 'DELETE'] as const)(
  'a %s with a lost response is recognised by its key although a sync moved the version',
  async (method) => {
    const headers = { 'idempotency-key': `${method}-twice`, 'if-match': `"${firm.updatedAt}"` }
    const body = method === 'PUT' ? { accountName: 'Firm', accountOwner: 'Mine' } : undefined
    const send = () => harness.write(method, `/accounts/${firm.id}`, body, headers)
    harness.rolodex.faults.push('lost')
    harness.rolodex.onResponse = (request) => {
      if (request.startsWith(method)) harness.rolodex.readable = false
    }
    expect((await send()).json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
    harness.rolodex.onResponse = undefined
    harness.rolodex.readable = true
    await harness.sync()
    const version = harness.rolodex.cards.get(firm.remoteId)?.version
    const again = await send()
    expect(again.statusCode, again.body).toBe(200)
    const changed = method === 'PUT' ? { accountOwner: 'Mine' } : { remoteDeleted: true }
    expect(again.json().account).toMatchObject(changed)
    expect(harness.rolodex.cards.get(firm.remoteId)?.version).toBe(version)
  },
)

describe.each([
  ['without a version', () => ({})],
  ['with the version that was read', () => ({ 'if-match': `"${firm.updatedAt}"` })],
])('an interrupted write, sent again %s,', (_which, versionHeaders) => {
  const laterChange = { owner: 'Theirs' }

  test.each(['PUT', 'DELETE'] as const)(
    'yields to later changes if it is a %s that never happened',
    async (method) => {
      const headers = { 'idempotency-key': randomUUID(), ...versionHeaders() }
      const body = method === 'PUT' ? { accountName: 'Firm', accountOwner: 'Mine' } : undefined
      const send = () => harness.write(method, `/accounts/${firm.id}`, body, headers)
      harness.rolodex.faults.push('cut')
      expect((await send()).json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
      harness.rolodex.put('firms', laterChange, firm.remoteId)
      await harness.sync()
      const again = await send()
      expect(again.statusCode, again.body).toBe(409)
      expect(again.json().error).toMatchObject({
        code: 'WRITE_CONFLICT',
        details: [{ field: 'updatedAt' }],
      })
      expect(harness.rolodex.cards.get(firm.remoteId)).toMatchObject({
        deleted: false,
        values: laterChange,
      })
    },
  )

  test('is not repeated, although the app normalises the value', async () => {
    const headers = { 'idempotency-key': randomUUID(), ...versionHeaders() }
    harness.rolodex.faults.push('lost')
    harness.rolodex.onResponse = (request) => {
      if (request.startsWith('PUT')) harness.rolodex.put('firms', { owner: 'MINE' }, firm.remoteId)
    }
    expect((await change('Mine', headers)).json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
    await harness.sync()
    harness.rolodex.requests.length = 0
    const again = await change('Mine', headers)
    expect(again.statusCode, again.body).toBe(409)
    expect(harness.rolodex.requests).toEqual([`GET /firms/${firm.remoteId}`])
  })
})

test('an interrupted write to an app with versions yields to later changes', async () => {
  const { contact } = (await harness.write('POST', '/contacts', { lastName: 'First' })).json()
  const headers = { 'idempotency-key': randomUUID() }
  const send = () => harness.write('PUT', `/contacts/${contact.id}`, { lastName: 'Mine' }, headers)
  harness.rolodex.faults.push('cut')
  expect((await send()).json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
  harness.rolodex.put('people', { last: 'Theirs' }, contact.remoteId)
  await harness.sync()
  expect((await send()).statusCode).toBe(409)
  expect(harness.rolodex.cards.get(contact.remoteId)?.values.last).toBe('Theirs')
})
