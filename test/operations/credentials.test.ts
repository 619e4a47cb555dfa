/** Credentials: an app is connected with its required fields; disconnecting deletes everything from it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { catalogue, connectors } from '../../src/generated/registry.ts'
import { type Call, callOver, transports } from '../support/operations.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const NEVER = '99999999-0000-4000-8000-000000000009'
// Nothing listens on this address: such an app is connected without a check.
const UNREACHABLE_URL = 'http://127.0.0.1:1'
const credential = { tenant: 'acme', token: 'secret-of-acme' }

let service: TestService
let tenant: Tenant
let otherTenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
  otherTenant = await service.createTenant('production', [])
})
afterAll(() => service.stop())

const createUser = async (username: string): Promise<string> => {
  const response = await service.send(tenant.key, 'POST', '/2023-12/users', { username })
  return response.json().userId
}

test('the responses are exactly those of the contract', async () => {
  const userId = await createUser('contract')
  const created = await service.send(tenant.key, 'POST', '/2024-03/headless/credentials', {
    userId,
    app: 'sandbox',
    credential,
  })
  expect([created.statusCode, created.json()]).toEqual([
    200,
    { credentialId: expect.stringMatching(UUID) },
  ])
  const topics = Object.keys(connectors.get('sandbox')?.resources ?? {}).toSorted()
  const list = await service.send(tenant.key, 'GET', `/2024-03/users/${userId}/credentials`)
  expect([list.statusCode, list.json()]).toEqual([
    200,
    {
      data: [
        {
          credentialId: created.json().credentialId,
          userId,
          app: 'sandbox',
          type: 'apiKey',
          createdAt: expect.stringMatching(TIME),
          updatedAt: expect.stringMatching(TIME),
          label: 'Acme',
          state: 'syncing',
          since: expect.stringMatching(TIME),
          reason: null,
          action: null,
          lastCompletedAt: null,
          nextSyncAt: expect.stringMatching(TIME),
          counts: { records: 0, resources: topics.length, resourcesCompleted: 0 },
          webhooks: null,
          resources: topics.map((topic) => ({
            topic,
            state: 'syncing',
            since: expect.stringMatching(TIME),
            reason: null,
            action: null,
            lastCompletedAt: null,
            nextSyncAt: expect.stringMatching(TIME),
            syncedAt: null,
            records: 0,
          })),
        },
      ],
    },
  ])
})

describe.each(transports)('over %s', (transport) => {
  let call: Call
  let userId: string
  let round = 0
  beforeAll(() => {
    call = callOver(service, transport)
  })
  beforeEach(async () => {
    round += 1
    userId = await createUser(`${transport} ${round}`)
  })

  const connect = async (): Promise<string> => {
    const created = await call(tenant.key, 'createCredential', {
      userId,
      app: 'sandbox',
      credential,
    })
    expect(created).toMatchObject({ status: 200 })
    return created.result.credentialId
  }

  const logOf = (credentialId: string) =>
    service.database.prisma.$queryRaw`
      SELECT topic, record FROM change_log.changes
      WHERE credential_id = ${credentialId}::uuid ORDER BY xid, sequence`

  test('a new credential is scheduled for its first sync and announced in the change log', async () => {
    const credentialId = await connect()
    const states = await service.database.prisma.syncState.findMany({ where: { credentialId } })
    const topics = Object.keys(connectors.get('sandbox')?.resources ?? {})
    expect(states.map(({ topic }) => topic).sort()).toEqual(topics.sort())
    for (const { dueAt } of states) expect(dueAt.getTime()).toBeLessThanOrEqual(Date.now())
    expect(await logOf(credentialId)).toEqual([
      { topic: 'connection/created', record: { credentialId, userId, app: 'sandbox' } },
    ])
    expect(
      (await service.rest(tenant.key, `/crm/accounts?credentialId=${credentialId}`)).body,
    ).toBe('{"accounts":[]}')
  })

  test('no response contains the secrets of a credential', async () => {
    await connect()
    for (const [name, input] of [
      ['credentials', { userId }],
      ['apps', {}],
    ] as const)
      expect(JSON.stringify(await call(tenant.key, name, input))).not.toContain(credential.token)
  })

  test.each([
    ['an unknown app', { app: 'sandbx' }, 'app'],
    ['a missing field', { credential: { tenant: 'acme' } }, 'credential.token'],
    ['an empty field', { credential: { ...credential, token: ' ' } }, 'credential.token'],
    ['an unknown field', { credential: { ...credential, tokn: 'x' } }, 'credential.tokn'],
    ['a field of another type', { credential: { ...credential, token: 7 } }, 'credential.token'],
    [
      'a line break, which no header can carry',
      { credential: { ...credential, token: 'a\r\nb: c' } },
      'credential.token',
    ],
    ['a string instead of an object', { credential: 'secret-of-acme' }, 'credential'],
  ])('%s is rejected with the name of the field', async (_what, wrong, field) => {
    const input = { userId, app: 'sandbox', credential, ...wrong }
    const refused = await call(tenant.key, 'createCredential', input)
    expect(refused).toMatchObject({ status: 400, code: 'INVALID_PARAMETER', fields: [field] })
    expect(refused.message).not.toContain('secret-of-acme')
    expect((await call(tenant.key, 'credentials', { userId })).result).toEqual([])
  })

  test.each([
    ['a token that is not the company’s', { token: 'open-sesame' }, 'APP_AUTHENTICATION', ''],
    ['a name that no company has', { tenant: 'A b' }, 'APP_REFUSED', '.tenant'],
    ['a token that no header can carry', { token: 'ключ' }, 'APP_AUTHENTICATION', ''],
  ])('%s is rejected by the app, and nothing is stored', async (_what, wrong, code, field) => {
    await connect()
    const before = (await call(tenant.key, 'credentials', { userId })).result
    const input = { userId, app: 'sandbox', credential: { ...credential, ...wrong } }
    const refused = await call(tenant.key, 'createCredential', input)
    expect(refused).toMatchObject({ status: 400, code, fields: [`credential${field}`] })
    expect(refused.message).not.toContain(input.credential.token)
    expect((await call(tenant.key, 'credentials', { userId })).result).toEqual(before)
  })

  test('a private address is rejected', async () => {
    const input = { app: 'vendure', credential: { url: 'ftp://shop.example.com', apiKey: 'k' } }
    expect(await call(tenant.key, 'createCredential', { userId, ...input })).toMatchObject({
      status: 400,
      code: 'APP_ADDRESS',
      fields: ['credential.url'],
    })
  })

  test('optional fields may be omitted', async () => {
    const input = { url: UNREACHABLE_URL, apiKey: 'k' }
    for (const values of [input, { ...input, channelToken: null }, { ...input, channelToken: '' }])
      expect(
        await call(tenant.key, 'createCredential', { userId, app: 'vendure', credential: values }),
      ).toMatchObject({ status: 200 })
  })

  test('a deleted credential and its records are gone, and the change log reports it', async () => {
    const credentialId = await connect()
    const other = await connect()
    const accounts = catalogue.get('crm/accounts')
    const row = sampleRecord(credentialId, accounts, 1)
    await service.save(tenant, credentialId, accounts, [row])
    const { prisma } = service.database

    const input = { userId, credentialId }
    expect(await call(tenant.key, 'deleteCredential', input)).toMatchObject({
      status: 200,
      result: credentialId,
    })

    expect(await call(tenant.key, 'deleteCredential', input)).toMatchObject({
      status: 404,
      code: 'CREDENTIAL_NOT_FOUND',
    })
    const { result } = await call(tenant.key, 'credentials', { userId })
    expect(result.map(({ credentialId: id }: { credentialId: string }) => id)).toEqual([other])
    const records = await service.rest(tenant.key, `/crm/accounts?credentialId=${credentialId}`)
    expect(records.statusCode).toBe(404)
    const { data } = await service.graphql(tenant.key, `{ node(id: "${row.id}") { id } }`)
    expect(data.node).toBe(null)
    expect(await prisma.syncState.count({ where: { credentialId } })).toBe(0)
    expect(await prisma.purge.count({ where: { credentialId } })).toBe(1)
    expect(await logOf(credentialId)).toMatchObject([
      { topic: 'connection/created' },
      { topic: 'crm/accounts' },
      { topic: 'connection/deleted', record: { credentialId, userId, app: 'sandbox' } },
    ])
  })

  test('another tenant’s user and credential respond like ones that never existed', async () => {
    const credentialId = await connect()
    const other = await createUser(`${transport} other ${round}`)
    const noUser = { status: 404, code: 'USER_NOT_FOUND' }
    const noCredential = { status: 404, code: 'CREDENTIAL_NOT_FOUND' }
    for (const id of [userId, NEVER, 'no uuid']) {
      expect(await call(otherTenant.key, 'credentials', { userId: id })).toMatchObject(noUser)
      const input = { userId: id, credentialId }
      expect(await call(otherTenant.key, 'deleteCredential', input)).toMatchObject(noUser)
      const outcome = { userId: id, app: 'sandbox', credential }
      expect(await call(otherTenant.key, 'createCredential', outcome)).toMatchObject(noUser)
    }
    for (const id of [credentialId, NEVER, 'no uuid']) {
      const input = { userId: other, credentialId: id }
      expect(await call(tenant.key, 'deleteCredential', input)).toMatchObject(noCredential)
    }
    expect((await call(tenant.key, 'credentials', { userId })).result).toHaveLength(1)
  })

  test('each app lists its required fields', async () => {
    const all = await call(tenant.key, 'apps')
    expect(all.result.map(({ app }: { app: string }) => app)).toEqual([...connectors.keys()])
    const app = await call(tenant.key, 'app', { app: 'vendure' })
    expect(app.result).toMatchObject({
      app: 'vendure',
      name: 'Vendure',
      type: 'apiKey',
      categories: ['commerce'],
      fields: [
        { name: 'url', required: true, secret: false, example: 'https://shop.example.com' },
        { name: 'apiKey', required: true, secret: true, example: null },
        { name: 'channelToken', required: false, secret: false, example: null },
      ],
    })
    expect(all.result).toContainEqual(app.result)
    expect(await call(tenant.key, 'app', { app: 'none' })).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    })
  })

  test('new values reconnect a credential under its id, once the app accepts them', async () => {
    const update = (values: object, credentialId: string) =>
      call(tenant.key, 'updateCredential', { userId, credentialId, credential: values })
    const before = await connect()
    expect(await update({ ...credential, token: 'wrong' }, before)).toMatchObject({
      status: 400,
      code: 'APP_AUTHENTICATION',
    })
    expect(await update({ tenant: 'acme' }, before)).toMatchObject({ fields: ['credential.token'] })
    const other = { tenant: `renamed-${transport.toLowerCase()}`, token: 'new' }
    expect(await update(other, before)).toMatchObject({
      status: 200,
      result: { credentialId: before },
    })
    const [shown] = (await call(tenant.key, 'userCredentials', { userId })).result
    expect(shown).toMatchObject({ credentialId: before, state: 'syncing' })
    expect(shown.label).toMatch(/^Renamed/)
    expect(await update(credential, NEVER)).toMatchObject({ code: 'CREDENTIAL_NOT_FOUND' })
  })

  test('a method that the app does not have is rejected', async () => {
    const input = { userId, app: 'sandbox', credential }
    for (const method of ['oauth', 'none'])
      expect(await call(tenant.key, 'createCredential', { ...input, method })).toMatchObject({
        status: 400,
        fields: ['method'],
      })
    expect(await call(tenant.key, 'createCredential', { ...input, method: 'token' })).toMatchObject(
      { status: 200 },
    )
  })

  test('an app without OAuth has no OAuth URL', async () => {
    expect(await call(tenant.key, 'oauthUrl', { app: 'vendure', userId })).toMatchObject({
      status: 400,
      code: 'NOT_SUPPORTED',
    })
    expect(await call(tenant.key, 'oauthUrl', { app: 'none', userId })).toMatchObject({
      status: 400,
      fields: ['app'],
    })
    expect(await call(tenant.key, 'oauthUrl', { app: 'vendure', userId: NEVER })).toMatchObject({
      status: 404,
    })
  })

  test('the credentials of all end users are listed, by end user and by app, page by page', async () => {
    const { key } = await service.createTenant('development', [], `Listed over ${transport}`)
    const other = await service.createTenant('development', [], `Beside over ${transport}`)
    const connectFor = async (id: string, app: string, values: object) =>
      (await call(key, 'createCredential', { userId: id, app, credential: values })).result
        .credentialId
    const [first, second] = [
      (await call(key, 'createUser', { username: 'first' })).result.userId,
      (await call(key, 'createUser', { username: 'second' })).result.userId,
    ]
    const shop = { url: UNREACHABLE_URL, apiKey: 'k' }
    const a = await connectFor(first, 'sandbox', credential)
    const b = await connectFor(second, 'sandbox', credential)
    const c = await connectFor(first, 'vendure', shop)
    const listCredentialIds = async (input: object, name = 'credentials') => {
      const { result, message } = await call(key, name, { ...input })
      expect(message).toBeUndefined()
      return result.map(({ credentialId }: { credentialId: string }) => credentialId)
    }
    expect(await listCredentialIds({})).toEqual([a, b, c])
    expect(await listCredentialIds({ userId: first })).toEqual([a, c])
    expect(await listCredentialIds({ userId: first }, 'userCredentials')).toEqual([a, c])
    expect(await listCredentialIds({ app: 'sandbox' })).toEqual([a, b])
    expect(await listCredentialIds({ userId: first, app: 'vendure' })).toEqual([c])
    expect(await listCredentialIds({ app: 'none' })).toEqual([])
    expect(await listCredentialIds({ pageSize: 2 })).toEqual([a, b])
    if (transport === 'REST')
      expect(await listCredentialIds({ pageSize: 2, pageNumber: 2 })).toEqual([c])
    expect((await call(key, 'credentials', { app: 'vendure' })).result).toMatchObject([
      {
        credentialId: c,
        userId: first,
        app: 'vendure',
        type: 'apiKey',
        createdAt: expect.stringMatching(TIME),
        updatedAt: expect.stringMatching(TIME),
      },
    ])
    expect((await call(other.key, 'credentials')).result).toEqual([])
    for (const [field, input] of [
      ['pageSize', { pageSize: 1001 }],
      ...(transport === 'REST' ? [['pageNumber', { pageNumber: 2 }] as const] : []),
    ] as const)
      expect(await call(key, 'credentials', input)).toMatchObject({
        code: 'INVALID_PARAMETER',
        fields: [field],
      })
  })

  test('a list of any length runs two statements, or one for all end users', async () => {
    await connect()
    const count = async (input: object) => {
      service.takeStatements()
      await call(tenant.key, 'credentials', { ...input })
      return service.takeStatements().length
    }
    for (const [input, statements] of [
      [{ userId }, 2],
      [{}, 1],
    ] as const) {
      await count(input)
      const before = await count(input)
      await connect()
      expect([before, await count(input)]).toEqual([statements, statements])
    }
  })
})
