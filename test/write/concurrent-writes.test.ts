/** Writes that others cross: a sync, another write, in the app or here, between any two of their steps. */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createMapper } from '../../src/definition/mapping.ts'
import { applyChanges, lockRecords } from '../../src/store/apply-changes.ts'
import { createLineWriter } from '../../src/store/record-lines.ts'
import { rolodexConnector } from '../support/rolodex-connector.ts'
import { waitingForLock } from '../support/waiting-for-lock.ts'
import { CREDENTIAL, type Desk, openDesk } from './desk.ts'

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk.stop())

let firm: { readonly id: string; readonly remoteId: string; readonly updatedAt: string }
beforeEach(async () => {
  const body = { accountName: 'Firm', accountOwner: 'First' }
  firm = (await desk.write('POST', '/accounts', body)).json().account
})
afterEach(() => {
  desk.rolodex.onAnswer = undefined
})

const change = (accountOwner: string, headers = {}) =>
  desk.write('PUT', `/accounts/${firm.id}`, { accountName: 'Firm', accountOwner }, headers)

test('the log has a write after the page that it waited for', async () => {
  const { prisma } = desk.service.database
  const mapping = rolodexConnector(desk.rolodex.url).resources['crm/accounts']?.mapping
  if (mapping === undefined) throw new Error('The rolodex lists no accounts.')
  const { resource } = mapping
  const owner = { credentialId: CREDENTIAL, environmentId: desk.tenant.environmentId }
  const { values, ...card } = desk.rolodex.put('firms', { owner: 'Page' }, firm.remoteId)
  const { row } = createMapper(mapping)({ ...values, ...card }, CREDENTIAL)
  desk.rolodex.put('firms', { owner: 'Later' }, firm.remoteId)
  let crossing: ReturnType<typeof change> | undefined
  await prisma.$transaction(
    async (transaction) => {
      await lockRecords(transaction, CREDENTIAL, resource)
      // It finds in the app what is newer than the page, stores that, and is a conflict.
      crossing = change('Mine')
      await waitingForLock(desk.service)
      const line = createLineWriter(resource)(row)
      await applyChanges(transaction, owner, resource, [line], { accept: 'newer' })
    },
    { timeout: 60_000 },
  )
  expect((await crossing)?.statusCode).toBe(409)
  const log = await prisma.$queryRaw<{ owner: string }[]>`
    SELECT record->>'accountOwner' AS owner FROM change_log.changes
    WHERE record_id = ${firm.id}::uuid ORDER BY epoch, xid, sequence`
  expect(log.map(({ owner }) => owner)).toEqual(['First', 'Page', 'Later'])
})

test('a write is written down behind a page that is stored for longer than Prisma lets a transaction last', async () => {
  const { prisma } = desk.service.database
  const { resource } = rolodexConnector(desk.rolodex.url).resources['crm/accounts']?.mapping ?? {}
  if (resource === undefined) throw new Error('The rolodex lists no accounts.')
  const crossing = await prisma.$transaction(async (transaction) => {
    await lockRecords(transaction, CREDENTIAL, resource)
    const answer = change('Mine')
    await waitingForLock(desk.service)
    await transaction.$executeRaw`SELECT pg_sleep(6)`
    return { answer }
  })
  const answer = await crossing.answer
  expect(answer.statusCode, answer.body).toBe(200)
  expect((await desk.read(`/accounts/${firm.id}`)).json().account.accountOwner).toBe('Mine')
})

test('a change in the app is not overwritten because a sync has brought it in between', async () => {
  desk.rolodex.put('firms', { owner: 'Theirs', branch: 'Steel' }, firm.remoteId)
  desk.rolodex.onAnswer = async () => {
    desk.rolodex.onAnswer = undefined
    await desk.sync()
  }
  const answer = await change('Mine', { 'if-match': `"${firm.updatedAt}"` })
  expect(answer.statusCode, answer.body).toBe(409)
  expect(answer.json().error.details).toContainEqual(
    expect.objectContaining({ field: 'industry', stored: null, current: 'Steel' }),
  )
  expect(desk.rolodex.cards.get(firm.remoteId)?.values.owner).toBe('Theirs')
})

test('an answer that comes after the deletion of its record does not bring it back', async () => {
  const applied = Promise.withResolvers<void>()
  const deleted = Promise.withResolvers<void>()
  desk.rolodex.onAnswer = async (request) => {
    if (!request.startsWith('PUT')) return
    applied.resolve()
    await deleted.promise
  }
  const late = change('Mine')
  await applied.promise
  desk.rolodex.remove(firm.remoteId)
  await desk.sync()
  deleted.resolve()
  const answer = await late
  expect(answer.statusCode, answer.body).toBe(200)
  expect(answer.json().account.remoteDeleted).toBe(true)
  expect(desk.rolodex.cards.get(firm.remoteId)?.deleted).toBe(true)
  expect((await desk.read(`/accounts/${firm.id}`)).json().account.remoteDeleted).toBe(true)
})

test.each(['PUT', 'DELETE'] as const)(
  'a %s whose answer is lost is known again by its key, although a sync has moved the version',
  async (method) => {
    const headers = { 'idempotency-key': `${method}-twice`, 'if-match': `"${firm.updatedAt}"` }
    const body = method === 'PUT' ? { accountName: 'Firm', accountOwner: 'Mine' } : undefined
    const send = () => desk.write(method, `/accounts/${firm.id}`, body, headers)
    desk.rolodex.faults.push('lost')
    desk.rolodex.onAnswer = (request) => {
      if (request.startsWith(method)) desk.rolodex.readable = false
    }
    expect((await send()).json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
    desk.rolodex.onAnswer = undefined
    desk.rolodex.readable = true
    await desk.sync()
    const version = desk.rolodex.cards.get(firm.remoteId)?.version
    const again = await send()
    expect(again.statusCode, again.body).toBe(200)
    const changed = method === 'PUT' ? { accountOwner: 'Mine' } : { remoteDeleted: true }
    expect(again.json().account).toMatchObject(changed)
    expect(desk.rolodex.cards.get(firm.remoteId)?.version).toBe(version)
  },
)

describe.each([
  ['without a version', () => ({})],
  ['with the version that was seen', () => ({ 'if-match': `"${firm.updatedAt}"` })],
])('a write that is broken off, sent again %s,', (_which, seen) => {
  const since = { owner: 'Theirs' }

  test.each(['PUT', 'DELETE'] as const)(
    'gives way to what was changed since, if it is a %s that never happened',
    async (method) => {
      const headers = { 'idempotency-key': randomUUID(), ...seen() }
      const body = method === 'PUT' ? { accountName: 'Firm', accountOwner: 'Mine' } : undefined
      const send = () => desk.write(method, `/accounts/${firm.id}`, body, headers)
      desk.rolodex.faults.push('cut')
      expect((await send()).json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
      desk.rolodex.put('firms', since, firm.remoteId)
      await desk.sync()
      const again = await send()
      expect(again.statusCode, again.body).toBe(409)
      expect(again.json().error).toMatchObject({
        ...{ code: 'WRITE_CONFLICT', details: [{ field: 'updatedAt' }] },
      })
      expect(desk.rolodex.cards.get(firm.remoteId)).toMatchObject({ deleted: false, values: since })
    },
  )

  test('is not carried out twice, although the app keeps it in a form of its own', async () => {
    const headers = { 'idempotency-key': randomUUID(), ...seen() }
    desk.rolodex.faults.push('lost')
    desk.rolodex.onAnswer = (request) => {
      if (request.startsWith('PUT')) desk.rolodex.put('firms', { owner: 'MINE' }, firm.remoteId)
    }
    expect((await change('Mine', headers)).json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
    await desk.sync()
    desk.rolodex.requests.length = 0
    const again = await change('Mine', headers)
    expect(again.statusCode, again.body).toBe(409)
    expect(desk.rolodex.requests).toEqual([`GET /firms/${firm.remoteId}`])
  })
})

test('a write to an app that keeps versions gives way to what was changed since it was broken off', async () => {
  const { contact } = (await desk.write('POST', '/contacts', { lastName: 'First' })).json()
  const headers = { 'idempotency-key': randomUUID() }
  const send = () => desk.write('PUT', `/contacts/${contact.id}`, { lastName: 'Mine' }, headers)
  desk.rolodex.faults.push('cut')
  expect((await send()).json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
  desk.rolodex.put('people', { last: 'Theirs' }, contact.remoteId)
  await desk.sync()
  expect((await send()).statusCode).toBe(409)
  expect(desk.rolodex.cards.get(contact.remoteId)?.values.last).toBe('Theirs')
})
