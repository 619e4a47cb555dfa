/** The number of credentials of an end user is limited. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Call, callOver, transports } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService({ maxCredentialsPerUser: 2 })
  tenant = await service.createTenant('development', [])
})
afterAll(() => service.stop())

describe.each(transports)('over %s', (transport) => {
  let call: Call
  let userId: string
  let round = 0
  beforeAll(() => {
    call = callOver(service, transport)
  })
  beforeEach(async () => {
    round += 1
    const username = `${transport} ${round}`
    const response = await service.send(tenant.key, 'POST', '/2023-12/users', { username })
    userId = response.json().userId
  })

  const connect = (company: string) =>
    call(tenant.key, 'createCredential', {
      userId,
      app: 'sandbox',
      credential: { tenant: company, token: 'a-token' },
    })

  const countCompanies = () =>
    service.database.prisma.sandboxRecord.count({ where: { kind: '_tenant' } })

  const countWaiting = async () => {
    const [found] = await service.database.prisma.$queryRaw<{ count: number }[]>`
      SELECT count(*)::integer AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`
    return found?.count
  }

  test('a credential past the limit is rejected with the name of the limit, before the app is called', async () => {
    const first = await connect('first')
    expect(await connect('second')).toMatchObject({ status: 200 })
    const before = await countCompanies()
    const refused = await connect(`third-${transport.toLowerCase()}`)
    expect(refused).toMatchObject({ status: 400, code: 'CREDENTIAL_LIMIT' })
    expect(refused.message).toContain('has 2 credentials, the limit (MAX_CREDENTIALS_PER_USER)')
    expect(await countCompanies()).toBe(before)
    await call(tenant.key, 'deleteCredential', {
      userId,
      credentialId: first.result.credentialId,
    })
    expect(await connect('first')).toMatchObject({ status: 200 })
  })

  test('concurrent requests store no more credentials than the limit', async () => {
    let connecting: Promise<Awaited<ReturnType<typeof connect>>[]> = Promise.resolve([])
    await service.database.transaction(
      async (transaction) => {
        // While the user is locked, none is stored: a request that counted without the lock would find no credential.
        await transaction.prisma
          .$queryRaw`SELECT FROM end_users WHERE id = ${userId}::uuid FOR UPDATE`
        connecting = Promise.all(['first', 'second', 'first', 'second', 'first'].map(connect))
        await expect.poll(countWaiting, { interval: 10 }).toBe(5)
      },
      { timeoutMs: 60_000 },
    )
    const created = await connecting
    expect(created.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(created.filter(({ code }) => code === 'CREDENTIAL_LIMIT')).toHaveLength(3)
    expect((await call(tenant.key, 'credentials', { userId })).result).toHaveLength(2)
  })
})
