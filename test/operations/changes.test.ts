/** Asking the change log, over either face. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fieldsAt } from '../../src/api/operation.ts'
import { recordId } from '../../src/definition/identity.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { readInput } from '../../src/query/input.ts'
import { pruneChanges } from '../../src/store/changes.ts'
import { appendEvent } from '../../src/store/sync-events.ts'
import { type Call, callOver, faces, type Given, operationOf } from '../support/operations.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { settled } from '../support/settled.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const OTHER = 'bbbbbbbb-0000-4000-8000-000000000002'
const accounts = catalogue.get('crm/accounts')
const leads = catalogue.get('crm/leads')

let service: TestService
let tenant: Tenant
let stranger: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL, OTHER])
  stranger = await service.createTenant('production', [])
})
beforeEach(async () => {
  await service.database.prisma.$executeRaw`TRUNCATE change_log.changes, crm_accounts, crm_leads`
  await service.database.prisma.$executeRaw`
    UPDATE change_log.horizon SET epoch = 0, xid = '0', sequence = 0, at = NULL`
})
afterAll(() => service.stop())

const save = (n: number, website: string, more: object = {}, credentialId = CREDENTIAL) =>
  service.save(tenant, credentialId, accounts, [
    { ...sampleRecord(credentialId, accounts, n), website, ...more },
  ])

/** The time of the database, between what was written before and what comes. */
const between = async (): Promise<string> => {
  const [row] = await service.database.prisma.$queryRaw<{ now: Date }[]>`
    SELECT clock_timestamp()::timestamptz(3) AS now, pg_sleep(0.01)::text`
  return row?.now.toISOString() ?? ''
}

describe.each(faces)('over %s', (face) => {
  let call: Call
  beforeAll(() => {
    call = callOver(service, face)
  })
  const ask = async (name: string, given: Given = {}) => {
    await settled(service)
    const outcome = await call(tenant.key, name, given)
    expect(outcome.status, JSON.stringify(outcome)).toBe(200)
    return outcome.result
  }
  const websites = (page: { changes: { record: { website?: string } }[] }) =>
    page.changes.map(({ record }) => record.website)

  test('changes come in order, whole, page after page', async () => {
    await save(1, 'one')
    await save(1, 'two')
    await service.save(tenant, CREDENTIAL, leads, [sampleRecord(CREDENTIAL, leads, 1)])
    const owner = { credentialId: CREDENTIAL, environmentId: tenant.environmentId }
    await service.database.prisma.$transaction((open) =>
      appendEvent(open, owner, 'sync/completed', { topic: 'crm/leads' }),
    )
    await save(2, 'three', {}, OTHER)
    const first = await ask('changes', { pageSize: 2 })
    expect(first.hasMore).toBe(true)
    expect(first.changes[1]).toEqual({
      ...{ topic: 'crm/accounts', kind: 'updated', changedFields: ['website'] },
      ...{ recordId: recordId(CREDENTIAL, accounts.topic, '1'), credentialId: CREDENTIAL },
      ...{ environment: 'development', userId: tenant.userId },
      ...{ at: expect.stringMatching(/Z$/), cursor: first.nextCursor },
      record: expect.objectContaining({ remoteId: '1', website: 'two' }),
    })
    const rest = await ask('changes', { after: first.nextCursor })
    expect(rest.hasMore).toBe(false)
    expect(rest.changes.map(({ topic }: { topic: string }) => topic)).toEqual([
      'crm/leads',
      'sync/completed',
      'crm/accounts',
    ])
    expect(rest.changes[1]).toMatchObject({ recordId: null, record: { topic: 'crm/leads' } })
    expect((await ask('changes', { after: rest.nextCursor })).changes).toEqual([])
    await save(3, 'four')
    expect(websites(await ask('changes', { after: rest.nextCursor }))).toEqual(['four'])
  })

  test('changes can be asked by topic and by credential, and from now on', async () => {
    await save(1, 'one')
    const { nextCursor } = await ask('changes', { after: 'now' })
    await save(2, 'two', {}, OTHER)
    await service.save(tenant, CREDENTIAL, leads, [sampleRecord(CREDENTIAL, leads, 1)])
    expect((await ask('changes', { after: nextCursor })).changes).toHaveLength(2)
    const topics = face === 'REST' ? 'crm/leads,sync/failed' : ['crm/leads', 'sync/failed']
    expect((await ask('changes', { topics })).changes).toHaveLength(1)
    expect(websites(await ask('changes', { credentialId: OTHER }))).toEqual(['two'])
    const elsewhere = await call(stranger.key, 'changes')
    expect(elsewhere.result.changes).toEqual([])
  })

  test('a record has a history, by our id or the app’s', async () => {
    await save(1, 'one')
    await save(2, 'other')
    await save(1, 'two')
    await save(1, 'two', { remoteDeleted: true })
    const given = { credentialId: CREDENTIAL, topic: 'crm/accounts' }
    const history = await ask('recordHistory', { ...given, recordId: '1' })
    expect(history.changes.map(({ kind }: { kind: string }) => kind)).toEqual([
      'created',
      'updated',
      'deleted',
    ])
    expect(websites(history)).toEqual(['one', 'two', 'two'])
    const id = recordId(CREDENTIAL, accounts.topic, '1')
    const second = await ask('recordHistory', { ...given, recordId: id, pageSize: 1 })
    const third = await ask('recordHistory', { ...given, recordId: id, after: second.nextCursor })
    expect([...websites(second), ...websites(third)]).toEqual(['one', 'two', 'two'])
    const none = await call(tenant.key, 'recordHistory', { ...given, recordId: 'none' })
    expect([none.status === 200 || none.status === 404, none.code]).toEqual([true, 'NOT_FOUND'])
  })

  test('records can be seen as they were', async () => {
    const given = { credentialId: CREDENTIAL, topic: 'crm/accounts' }
    const asOf = async (time: string, more: Given = {}) => {
      const { records } = await ask('recordsAsOf', { ...given, asOf: time, ...more })
      return Object.fromEntries(
        records.map(({ record }: { record: { remoteId: string; website: string } }) => [
          record.remoteId,
          record.website,
        ]),
      )
    }
    const before = await between()
    await save(1, 'one')
    await save(2, 'never changed')
    const first = await between()
    await save(1, 'two')
    await save(3, 'late')
    const second = await between()
    await save(3, 'late', { remoteDeleted: true })
    await save(1, 'three')
    const third = await between()
    expect(await asOf(before)).toEqual({})
    expect(await asOf(first)).toEqual({ 1: 'one', 2: 'never changed' })
    expect(await asOf(second)).toEqual({ 1: 'two', 2: 'never changed', 3: 'late' })
    expect(await asOf(third)).toEqual({ 1: 'three', 2: 'never changed' })
    const deleted = { 1: 'three', 2: 'never changed', 3: 'late' }
    expect(await asOf(third, { includeDeleted: true })).toEqual(deleted)
  })

  test('the pages of records as they were hold each once', async () => {
    for (let n = 1; n <= 5; n++) await save(n, `${n}`)
    const asOf = await between()
    for (let n = 1; n <= 7; n++) await save(n, 'later')
    const seen: string[] = []
    let after: string | null = null
    do {
      const page: { records: { record: { website: string } }[]; nextCursor: string | null } =
        await ask('recordsAsOf', {
          ...{ credentialId: CREDENTIAL, topic: 'crm/accounts', asOf, pageSize: 2 },
          ...(after !== null && { after }),
        })
      seen.push(...page.records.map(({ record }) => record.website))
      after = page.nextCursor
    } while (after !== null)
    expect(seen.sort()).toEqual(['1', '2', '3', '4', '5'])
  })

  test('what the log has forgotten is said, and not made up', async () => {
    await save(1, 'old')
    await save(2, 'unchanged since')
    await save(4, 'gone later')
    await save(3, 'kept')
    await service.database.prisma.$executeRaw`
      UPDATE change_log.changes SET at = at - interval '40 days' WHERE record->>'remoteId' <> '3'`
    for (const { table } of [accounts])
      await service.database.prisma.$executeRawUnsafe(
        `UPDATE ${table} SET created_at = created_at - interval '40 days' WHERE remote_id <> '3'`,
      )
    const cursor = (await ask('changes', { pageSize: 1 })).nextCursor
    await settled(service)
    while ((await pruneChanges(service.database.prisma, 30)) > 0);
    const asOf = await between()
    await save(1, 'new')
    await save(4, 'gone later', { remoteDeleted: true })
    const page = await ask('recordsAsOf', { credentialId: CREDENTIAL, topic: 'crm/accounts', asOf })
    const found = Object.fromEntries(
      page.records.map(
        (one: {
          record: { remoteId: string; website: string | null }
          unknownFields: string[]
        }) => [one.record.remoteId, [one.record.website, one.unknownFields]],
      ),
    )
    expect(found).toEqual({
      1: [null, ['website', 'updatedAt']],
      2: ['unchanged since', []],
      3: ['kept', []],
      4: ['gone later', ['remoteDeleted', 'updatedAt']],
    })
    const past = new Date(Date.now() - 50 * 86_400_000).toISOString()
    const early = await call(tenant.key, 'recordsAsOf', {
      ...{ credentialId: CREDENTIAL, topic: 'crm/accounts', asOf: past },
    })
    expect([early.code, early.fields]).toEqual(['INVALID_PARAMETER', ['asOf']])
    const expired = await call(tenant.key, 'changes', { after: cursor })
    expect([expired.code, expired.fields]).toEqual(['CURSOR_EXPIRED', ['after']])
  })

  test.each<[string, Given, string, string]>([
    ['changes', { after: 'x' }, 'INVALID_CURSOR', 'after'],
    ['changes', { topics: 'crm/acounts' }, 'INVALID_PARAMETER', 'topics'],
    ['changes', { pageSize: 101 }, 'INVALID_PARAMETER', 'pageSize'],
    ['changes', { pageSize: 0 }, 'INVALID_PARAMETER', 'pageSize'],
    ['changes', { credentialId: 'x' }, 'CREDENTIAL_NOT_FOUND', 'credentialId'],
    ['recordHistory', { topic: 'sync/failed', recordId: '1' }, 'INVALID_PARAMETER', 'topic'],
    ['recordHistory', { topic: 'x\0y', recordId: '1' }, 'INVALID_PARAMETER', 'topic'],
    ['recordsAsOf', { topic: 'crm/leads', asOf: '2999-01-01' }, 'INVALID_PARAMETER', 'asOf'],
    ['recordsAsOf', { topic: 'crm/leads', asOf: 'now' }, 'INVALID_PARAMETER', 'asOf'],
    [
      'recordsAsOf',
      { topic: 'crm/leads', asOf: '2026-01-01', after: 'MS4wLjAuMA' },
      'INVALID_CURSOR',
      'after',
    ],
  ])('%s of %o is refused as %s', async (name, given, code, field) => {
    const outcome = await call(tenant.key, name, {
      ...(name !== 'changes' && { credentialId: CREDENTIAL }),
      ...given,
    })
    expect([outcome.code, outcome.fields]).toEqual([code, [field]])
  })

  test('a user token opens none of them', async () => {
    const { environmentId, userId } = tenant
    const { token } = await service.tokens.issue({ environmentId, userId })
    const given = { credentialId: CREDENTIAL, topic: 'crm/leads' }
    for (const [name, more] of [
      ['changes', {}],
      ['recordHistory', { ...given, recordId: '1' }],
      ['recordsAsOf', { ...given, asOf: '2026-01-01' }],
    ] as const)
      expect((await call(token, name, more)).code, name).toBe('FORBIDDEN')
  })
})

test('of a day alone the records are those of its end', () => {
  const given = { credentialId: CREDENTIAL, topic: 'crm/leads', asOf: '2026-01-31' }
  const { asOf } = readInput(fieldsAt(operationOf('recordsAsOf'), 'query'), given)
  expect(asOf).toBe('2026-01-31T23:59:59.999Z')
})

test('topics that are not given in one parameter are told how to be', async () => {
  const url = '/2024-03/one/changes?topics=crm/accounts&topics=crm/leads'
  const { error } = (await service.send(tenant.key, 'GET', url)).json()
  expect(error.details).toEqual([
    { field: 'topics', expected: 'one value, its parts separated by commas' },
  ])
})
