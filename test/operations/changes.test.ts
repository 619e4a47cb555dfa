/** Queries of the change log, over both transports. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fieldsAt } from '../../src/api/operation.ts'
import { recordId } from '../../src/definition/identity.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { readInput } from '../../src/query/input.ts'
import { pruneChanges } from '../../src/store/changes/changes.ts'
import { appendEvent } from '../../src/store/changes/events.ts'
import { type Call, callOver, type Input, operationOf, transports } from '../support/operations.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { untilLogReadable } from '../support/until-log-readable.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const OTHER = 'bbbbbbbb-0000-4000-8000-000000000002'
const accounts = catalogue.get('crm/accounts')
const leads = catalogue.get('crm/leads')

let service: TestService
let tenant: Tenant
let otherTenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL, OTHER])
  otherTenant = await service.createTenant('production', [])
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

/** A time of the database after everything written so far and before everything written later. */
const readTime = async (): Promise<string> => {
  const [row] = await service.database.prisma.$queryRaw<{ now: Date }[]>`
    SELECT clock_timestamp()::timestamptz(3) AS now, pg_sleep(0.01)::text`
  return row?.now.toISOString() ?? ''
}

describe.each(transports)('over %s', (transport) => {
  let call: Call
  beforeAll(() => {
    call = callOver(service, transport)
  })
  const send = async (name: string, input: Input = {}) => {
    await untilLogReadable(service)
    const outcome = await call(tenant.key, name, input)
    expect(outcome.status, JSON.stringify(outcome)).toBe(200)
    return outcome.result
  }
  const websitesOf = (page: { changes: { record: { website?: string } }[] }) =>
    page.changes.map(({ record }) => record.website)

  test('changes are returned in order and complete, page by page', async () => {
    await save(1, 'one')
    await save(1, 'two')
    await service.save(tenant, CREDENTIAL, leads, [sampleRecord(CREDENTIAL, leads, 1)])
    const owner = { credentialId: CREDENTIAL, environmentId: tenant.environmentId }
    await service.database.transaction((open) =>
      appendEvent(open, owner, 'sync/completed', { topic: 'crm/leads' }),
    )
    await save(2, 'three', {}, OTHER)
    const first = await send('changes', { pageSize: 2 })
    expect(first.hasMore).toBe(true)
    expect(first.changes[1]).toEqual({
      topic: 'crm/accounts',
      kind: 'updated',
      changedFields: ['website'],
      recordId: recordId(CREDENTIAL, accounts.topic, '1'),
      credentialId: CREDENTIAL,
      environment: 'development',
      userId: tenant.userId,
      at: expect.stringMatching(/Z$/),
      cursor: first.nextCursor,
      record: expect.objectContaining({ remoteId: '1', website: 'two' }),
    })
    const rest = await send('changes', { after: first.nextCursor })
    expect(rest.hasMore).toBe(false)
    expect(rest.changes.map(({ topic }: { topic: string }) => topic)).toEqual([
      'crm/leads',
      'sync/completed',
      'crm/accounts',
    ])
    expect(rest.changes[1]).toMatchObject({ recordId: null, record: { topic: 'crm/leads' } })
    expect((await send('changes', { after: rest.nextCursor })).changes).toEqual([])
    await save(3, 'four')
    expect(websitesOf(await send('changes', { after: rest.nextCursor }))).toEqual(['four'])
  })

  test('changes can be filtered by topic and by credential, and read from the end of the log', async () => {
    await save(1, 'one')
    const { nextCursor } = await send('changes', { after: 'now' })
    await save(2, 'two', {}, OTHER)
    await service.save(tenant, CREDENTIAL, leads, [sampleRecord(CREDENTIAL, leads, 1)])
    expect((await send('changes', { after: nextCursor })).changes).toHaveLength(2)
    const topics = transport === 'REST' ? 'crm/leads,sync/failed' : ['crm/leads', 'sync/failed']
    expect((await send('changes', { topics })).changes).toHaveLength(1)
    expect(websitesOf(await send('changes', { credentialId: OTHER }))).toEqual(['two'])
    const elsewhere = await call(otherTenant.key, 'changes')
    expect(elsewhere.result.changes).toEqual([])
  })

  test('changes can be limited to records, of all topics or of some', async () => {
    await save(1, 'one')
    const owner = { credentialId: CREDENTIAL, environmentId: tenant.environmentId }
    await service.database.transaction((open) =>
      appendEvent(open, owner, 'sync/completed', { topic: 'crm/accounts' }),
    )
    const listOf = (...names: string[]) => (transport === 'REST' ? names.join() : names)
    expect((await send('changes')).changes).toHaveLength(2)
    expect((await send('changes', { topics: listOf('*', 'crm/leads') })).changes).toHaveLength(2)
    for (const topics of [undefined, listOf('*'), listOf('crm/accounts', 'sync/completed')])
      expect(
        websitesOf(await send('changes', { recordsOnly: true, ...(topics && { topics }) })),
      ).toEqual(['one'])
    const none = { recordsOnly: true, topics: listOf('sync/completed') }
    expect(await call(tenant.key, 'changes', none)).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETER',
      fields: ['topics'],
    })
  })

  test('a record has a history, by its Trunkline id or the app’s', async () => {
    await save(1, 'one')
    await save(2, 'other')
    await save(1, 'two')
    await save(1, 'two', { remoteDeleted: true })
    const values = { credentialId: CREDENTIAL, topic: 'crm/accounts' }
    const history = await send('recordHistory', { ...values, recordId: '1' })
    expect(history.changes.map(({ kind }: { kind: string }) => kind)).toEqual([
      'created',
      'updated',
      'deleted',
    ])
    expect(websitesOf(history)).toEqual(['one', 'two', 'two'])
    const id = recordId(CREDENTIAL, accounts.topic, '1')
    const second = await send('recordHistory', { ...values, recordId: id, pageSize: 1 })
    const third = await send('recordHistory', { ...values, recordId: id, after: second.nextCursor })
    expect([...websitesOf(second), ...websitesOf(third)]).toEqual(['one', 'two', 'two'])
    const none = await call(tenant.key, 'recordHistory', { ...values, recordId: 'none' })
    expect([none.status === 200 || none.status === 404, none.code]).toEqual([true, 'NOT_FOUND'])
  })

  test('records can be read as they were at a time', async () => {
    const input = { credentialId: CREDENTIAL, topic: 'crm/accounts' }
    const asOf = async (time: string, more: Input = {}) => {
      const { records } = await send('recordsAsOf', { ...input, asOf: time, ...more })
      return Object.fromEntries(
        records.map(({ record }: { record: { remoteId: string; website: string } }) => [
          record.remoteId,
          record.website,
        ]),
      )
    }
    const before = await readTime()
    await save(1, 'one')
    await save(2, 'never changed')
    const first = await readTime()
    await save(1, 'two')
    await save(3, 'late')
    const second = await readTime()
    await save(3, 'late', { remoteDeleted: true })
    await save(1, 'three')
    const third = await readTime()
    expect(await asOf(before)).toEqual({})
    expect(await asOf(first)).toEqual({ 1: 'one', 2: 'never changed' })
    expect(await asOf(second)).toEqual({ 1: 'two', 2: 'never changed', 3: 'late' })
    expect(await asOf(third)).toEqual({ 1: 'three', 2: 'never changed' })
    const deleted = { 1: 'three', 2: 'never changed', 3: 'late' }
    expect(await asOf(third, { includeDeleted: true })).toEqual(deleted)
  })

  test('the pages of past records contain each record once', async () => {
    for (let n = 1; n <= 5; n++) await save(n, `${n}`)
    const asOf = await readTime()
    for (let n = 1; n <= 7; n++) await save(n, 'later')
    const seen: string[] = []
    let after: string | null = null
    do {
      const page: { records: { record: { website: string } }[]; nextCursor: string | null } =
        await send('recordsAsOf', {
          credentialId: CREDENTIAL,
          topic: 'crm/accounts',
          asOf,
          pageSize: 2,
          ...(after !== null && { after }),
        })
      seen.push(...page.records.map(({ record }) => record.website))
      after = page.nextCursor
    } while (after !== null)
    expect(seen.sort()).toEqual(['1', '2', '3', '4', '5'])
  })

  test('fields that the log no longer knows are reported as unknown', async () => {
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
    const cursor = (await send('changes', { pageSize: 1 })).nextCursor
    await untilLogReadable(service)
    while ((await pruneChanges(service.database, 30)) > 0);
    const asOf = await readTime()
    await save(1, 'new')
    await save(4, 'gone later', { remoteDeleted: true })
    const page = await send('recordsAsOf', {
      credentialId: CREDENTIAL,
      topic: 'crm/accounts',
      asOf,
    })
    const found = Object.fromEntries(
      page.records.map(
        (change: {
          record: { remoteId: string; website: string | null }
          unknownFields: string[]
        }) => [change.record.remoteId, [change.record.website, change.unknownFields]],
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
      credentialId: CREDENTIAL,
      topic: 'crm/accounts',
      asOf: past,
    })
    expect([early.code, early.fields]).toEqual(['INVALID_PARAMETER', ['asOf']])
    const expired = await call(tenant.key, 'changes', { after: cursor })
    expect([expired.code, expired.fields]).toEqual(['CURSOR_EXPIRED', ['after']])
  })

  test.each<[string, Input, string, string]>([
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
  ])('%s of %o is rejected as %s', async (name, input, code, field) => {
    const outcome = await call(tenant.key, name, {
      ...(name !== 'changes' && { credentialId: CREDENTIAL }),
      ...input,
    })
    expect([outcome.code, outcome.fields]).toEqual([code, [field]])
  })

  test('a user token opens none of these operations', async () => {
    const { environmentId, userId } = tenant
    const { token } = await service.tokens.issue({ environmentId, userId })
    const input = { credentialId: CREDENTIAL, topic: 'crm/leads' }
    for (const [name, more] of [
      ['changes', {}],
      ['recordHistory', { ...input, recordId: '1' }],
      ['recordsAsOf', { ...input, asOf: '2026-01-01' }],
    ] as const)
      expect((await call(token, name, more)).code, name).toBe('FORBIDDEN')
  })
})

test('a date without a time means the end of the day', () => {
  const input = { credentialId: CREDENTIAL, topic: 'crm/leads', asOf: '2026-01-31' }
  const { asOf } = readInput(fieldsAt(operationOf('recordsAsOf'), 'query'), input)
  expect(asOf).toBe('2026-01-31T23:59:59.999Z')
})

test('a repeated topics parameter is rejected with the correct form', async () => {
  const url = '/2024-03/one/changes?topics=crm/accounts&topics=crm/leads'
  const { error } = (await service.send(tenant.key, 'GET', url)).json()
  expect(error.details).toEqual([
    { field: 'topics', expected: 'the parameter once, with values separated by commas' },
  ])
})
