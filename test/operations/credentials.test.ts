/** Credentials: apps are connected by what they ask for and disconnected with all that came through them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { catalogue, connectors } from '../../src/generated/registry.ts'
import { type Call, callOver, faces } from '../support/operations.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const NEVER = '99999999-0000-4000-8000-000000000009'
// Nothing listens there: such an app is connected unasked.
const NOBODY = 'http://127.0.0.1:1'
const credential = { tenant: 'acme', token: 'secret-of-acme' }

let service: TestService
let tenant: Tenant
let stranger: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
  stranger = await service.createTenant('production', [])
})
afterAll(() => service.stop())

const newUser = async (username: string): Promise<string> => {
  const answer = await service.send(tenant.key, 'POST', '/2023-12/users', { username })
  return answer.json().userId
}

test('the contract’s answers, to the letter', async () => {
  const userId = await newUser('contract')
  const made = await service.send(tenant.key, 'POST', '/2024-03/headless/credentials', {
    ...{ userId, app: 'sandbox', credential },
  })
  expect([made.statusCode, made.json()]).toEqual([
    200,
    { credentialId: expect.stringMatching(UUID) },
  ])
  const list = await service.send(tenant.key, 'GET', `/2024-03/users/${userId}/credentials`)
  expect([list.statusCode, list.json()]).toEqual([
    200,
    {
      data: [
        {
          credentialId: made.json().credentialId,
          app: 'sandbox',
          type: 'apiKey',
          createdAt: expect.stringMatching(TIME),
          updatedAt: expect.stringMatching(TIME),
        },
      ],
    },
  ])
})

describe.each(faces)('over %s', (face) => {
  let call: Call
  let userId: string
  let round = 0
  beforeAll(() => {
    call = callOver(service, face)
  })
  beforeEach(async () => {
    round += 1
    userId = await newUser(`${face} ${round}`)
  })

  const connect = async (): Promise<string> => {
    const made = await call(tenant.key, 'createCredential', {
      ...{ userId, app: 'sandbox', credential },
    })
    expect(made).toMatchObject({ status: 200 })
    return made.result
  }

  const logOf = (credentialId: string) =>
    service.database.prisma.$queryRaw`
      SELECT topic, record FROM change_log.changes
      WHERE credential_id = ${credentialId}::uuid ORDER BY xid, sequence`

  test('a new credential is due for its first listing, and told of', async () => {
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

  test('what a credential holds is shown by no answer', async () => {
    await connect()
    for (const [name, given] of [
      ['credentials', { userId }],
      ['apps', {}],
    ] as const)
      expect(JSON.stringify(await call(tenant.key, name, given))).not.toContain(credential.token)
  })

  test.each([
    ['an app that there is not', { app: 'sandbx' }, 'app'],
    ['a field missing', { credential: { tenant: 'acme' } }, 'credential.token'],
    ['a field empty', { credential: { ...credential, token: ' ' } }, 'credential.token'],
    ['a field unknown', { credential: { ...credential, tokn: 'x' } }, 'credential.tokn'],
    ['a field of another kind', { credential: { ...credential, token: 7 } }, 'credential.token'],
    [
      'a line break, which no header takes',
      { credential: { ...credential, token: 'a\r\nb: c' } },
      'credential.token',
    ],
    ['a text for the whole', { credential: 'secret-of-acme' }, 'credential'],
  ])('%s is refused by name', async (_what, wrong, field) => {
    const given = { userId, app: 'sandbox', credential, ...wrong }
    const refused = await call(tenant.key, 'createCredential', given)
    expect(refused).toMatchObject({ status: 400, code: 'INVALID_PARAMETER', fields: [field] })
    expect(refused.message).not.toContain('secret-of-acme')
    expect((await call(tenant.key, 'credentials', { userId })).result).toEqual([])
  })

  test.each([
    ['a token that is not the company’s', { token: 'open-sesame' }, 'APP_AUTHENTICATION', ''],
    ['a name that no company has', { tenant: 'A b' }, 'APP_REFUSED', '.tenant'],
    ['a token that no header can carry', { token: 'ключ' }, 'APP_AUTHENTICATION', ''],
  ])('%s is refused by the app, and nothing is stored', async (_what, wrong, code, field) => {
    await connect()
    const before = (await call(tenant.key, 'credentials', { userId })).result
    const given = { userId, app: 'sandbox', credential: { ...credential, ...wrong } }
    const refused = await call(tenant.key, 'createCredential', given)
    expect(refused).toMatchObject({ status: 400, code, fields: [`credential${field}`] })
    expect(refused.message).not.toContain(given.credential.token)
    expect((await call(tenant.key, 'credentials', { userId })).result).toEqual(before)
  })

  test('an address that is never dialled is refused', async () => {
    const given = { app: 'vendure', credential: { url: 'ftp://shop.example.com', apiKey: 'k' } }
    expect(await call(tenant.key, 'createCredential', { userId, ...given })).toMatchObject({
      ...{ status: 400, code: 'APP_ADDRESS', fields: ['credential'] },
    })
  })

  test('what is optional may be left out', async () => {
    const given = { url: NOBODY, apiKey: 'k' }
    for (const values of [given, { ...given, channelToken: null }, { ...given, channelToken: '' }])
      expect(
        await call(tenant.key, 'createCredential', { userId, app: 'vendure', credential: values }),
      ).toMatchObject({ status: 200 })
  })

  test('a deleted credential is gone with its records, and the change log tells of it', async () => {
    const credentialId = await connect()
    const kept = await connect()
    const accounts = catalogue.get('crm/accounts')
    const row = sampleRecord(credentialId, accounts, 1)
    await service.save(tenant, credentialId, accounts, [row])
    const { prisma } = service.database

    const given = { userId, credentialId }
    expect(await call(tenant.key, 'deleteCredential', given)).toMatchObject({
      status: 200,
      result: credentialId,
    })

    expect(await call(tenant.key, 'deleteCredential', given)).toMatchObject({
      status: 404,
      code: 'CREDENTIAL_NOT_FOUND',
    })
    const { result } = await call(tenant.key, 'credentials', { userId })
    expect(result.map(({ credentialId: id }: { credentialId: string }) => id)).toEqual([kept])
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

  test('another’s user and credential are as absent as those that never were', async () => {
    const credentialId = await connect()
    const other = await newUser(`${face} other ${round}`)
    const noUser = { status: 404, code: 'USER_NOT_FOUND' }
    const noCredential = { status: 404, code: 'CREDENTIAL_NOT_FOUND' }
    for (const id of [userId, NEVER, 'no uuid']) {
      expect(await call(stranger.key, 'credentials', { userId: id })).toMatchObject(noUser)
      const given = { userId: id, credentialId }
      expect(await call(stranger.key, 'deleteCredential', given)).toMatchObject(noUser)
      const made = { userId: id, app: 'sandbox', credential }
      expect(await call(stranger.key, 'createCredential', made)).toMatchObject(noUser)
    }
    for (const id of [credentialId, NEVER, 'no uuid']) {
      const given = { userId: other, credentialId: id }
      expect(await call(tenant.key, 'deleteCredential', given)).toMatchObject(noCredential)
    }
    expect((await call(tenant.key, 'credentials', { userId })).result).toHaveLength(1)
  })

  test('each app says what it asks for', async () => {
    const all = await call(tenant.key, 'apps')
    expect(all.result.map(({ app }: { app: string }) => app)).toEqual([...connectors.keys()])
    const one = await call(tenant.key, 'app', { app: 'vendure' })
    expect(one.result).toMatchObject({
      ...{ app: 'vendure', name: 'Vendure', type: 'apiKey', categories: ['commerce'] },
      fields: [
        { name: 'url', required: true, secret: false, example: 'https://shop.example.com' },
        { name: 'apiKey', required: true, secret: true, example: null },
        { name: 'channelToken', required: false, secret: false, example: null },
      ],
    })
    expect(all.result).toContainEqual(one.result)
    expect(await call(tenant.key, 'app', { app: 'none' })).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    })
  })

  test('no app pretends to use OAuth', async () => {
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

  test('a list of any length is two statements', async () => {
    await connect()
    const count = async () => {
      service.takeStatements()
      await call(tenant.key, 'credentials', { userId })
      return service.takeStatements().length
    }
    await count()
    const before = await count()
    await connect()
    expect([before, await count()]).toEqual([2, 2])
  })
})
