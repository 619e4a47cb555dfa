/** An operation that is interrupted before its response is stored has no effect; the retry runs it once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { transports } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

let service: TestService
let tenant: Tenant
beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
  // Simulates a process that is killed after the work: PostgreSQL rolls back what it had not committed.
  await service.database.prisma.$executeRawUnsafe(`
    CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF new.status IS NOT NULL THEN RAISE EXCEPTION 'broken off'; END IF;
      RETURN new;
    END $$`)
})
afterAll(() => service.stop())

/** Runs `work` while no response can be stored. */
const interrupt = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const { prisma } = service.database
  await prisma.$executeRaw`CREATE TRIGGER break_off BEFORE UPDATE ON idempotent_requests
    FOR EACH ROW EXECUTE FUNCTION break_off()`
  try {
    return await work()
  } finally {
    await prisma.$executeRaw`DROP TRIGGER break_off ON idempotent_requests`
  }
}

interface Case {
  /** The table of the rows that the operation creates. */
  readonly table: string
  readonly url: string
  readonly body: () => object | undefined
  /** The part of the response that describes the row. */
  readonly mutation: string
}

let counter = 0
const cases: Readonly<Record<string, Case>> = {
  createUser: {
    table: 'end_users',
    url: '/2023-12/users',
    body: () => ({ username: `harbour ${++counter}` }),
    mutation:
      '($input: CreateUserInput!) { answer: createUser(input: $input) { user { userId } userErrors { code } } }',
  },
  createCredential: {
    table: 'credentials',
    url: '/2024-03/headless/credentials',
    body: () => ({
      userId: tenant.userId,
      app: 'sandbox',
      credential: { tenant: 'harbour-light', token: 'open-sesame' },
    }),
    mutation:
      '($input: CreateCredentialInput!) { answer: createCredential(input: $input) { credential { credentialId } } }',
  },
  createWebhook: {
    table: 'webhook_subscriptions',
    url: '/2024-03/one/webhooks',
    body: () => ({ address: 'https://example.com/hook', topic: ['crm/accounts'] }),
    mutation:
      '($input: CreateWebhookInput!) { answer: createWebhook(input: $input) { subscription { subscriptionId } } }',
  },
  generateApiKey: {
    table: 'api_keys',
    url: '/2024-03/api-keys',
    body: () => undefined,
    mutation: '{ answer: generateApiKey { apiKey { keyId key } } }',
  },
}

const countOf = async (table: string): Promise<number> => {
  const [row] = await service.database.prisma.$queryRawUnsafe<{ count: number }[]>(
    `SELECT count(*)::integer AS count FROM ${table}`,
  )
  return row?.count ?? 0
}

describe.each(transports)('over %s', (transport) => {
  const send = async ({ url, mutation }: Case, input: object | undefined, key: string) => {
    const headers = { 'idempotency-key': key }
    if (transport === 'REST') {
      const response = await service.send(tenant.key, 'POST', url, input, headers)
      return { status: response.statusCode, answer: response.json() }
    }
    const query = `mutation ${mutation}`
    const { status, data } = await service.graphql(tenant.key, query, { input }, headers)
    return { status, answer: data?.answer }
  }

  test.each(Object.entries(cases))('%s', async (name, interruptedCase) => {
    const key = `${transport} ${name}`.replace(' ', '-')
    const input = interruptedCase.body()
    const before = await countOf(interruptedCase.table)
    const first = await interrupt(() => send(interruptedCase, input, key))
    expect(first.status).toBe(500)
    expect(await countOf(interruptedCase.table)).toBe(before)
    const second = await send(interruptedCase, input, key)
    expect(second.status, JSON.stringify(second.answer)).toBe(200)
    expect(await countOf(interruptedCase.table)).toBe(before + 1)
    // Simulates a lost response: the client sends the request again.
    expect(await send(interruptedCase, input, key)).toEqual(second)
    expect(await countOf(interruptedCase.table)).toBe(before + 1)
  })

  test('an error rolls the operation back, and is stored as the response', async () => {
    const key = `${transport}-taken`
    const takenName = cases.createUser?.body()
    if (!cases.createUser || !takenName) throw new Error('no case')
    await send(cases.createUser, takenName, `${key}-1`)
    const before = await countOf('end_users')
    const refused = await send(cases.createUser, takenName, key)
    if (transport === 'REST') expect(refused.answer.error.code).toBe('USERNAME_TAKEN')
    else expect(refused.answer).toEqual({ user: null, userErrors: [{ code: 'USERNAME_TAKEN' }] })
    const again = await send(cases.createUser, takenName, key)
    expect(again).toEqual(refused)
    expect(await countOf('end_users')).toBe(before)
  })
})

test('an attempt whose claim expired and was taken over has no effect once the other attempt has its response', async () => {
  const { prisma } = service.database
  const body = { username: 'slow' }
  const headers = { 'idempotency-key': 'slow' }
  const send = () => service.send(tenant.key, 'POST', '/2023-12/users', body, headers)
  // The first attempt is blocked at its insert while the second has the claim.
  const [first] = await service.database.transaction(
    async (transaction) => {
      await transaction.prisma.$executeRaw`LOCK TABLE end_users IN SHARE MODE`
      const held = send()
      await expect
        .poll(
          async () =>
            await prisma.$queryRaw<
              object[]
            >`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE 'INSERT%end_users%'`,
        )
        .toHaveLength(1)
      await prisma.$executeRaw`UPDATE idempotent_requests SET status = 200, sealed_body = '\\x00', holder = NULL,
        held_until = NULL
        WHERE key LIKE '% slow'`
      return [held] as const
    },
    { timeoutMs: 30_000 },
  )
  const response = await first
  expect([response.statusCode, response.json().error.code]).toEqual([
    409,
    'IDEMPOTENCY_KEY_IN_FLIGHT',
  ])
  expect(await prisma.endUser.count({ where: { username: 'slow' } })).toBe(0)
})

test('a slow operation completes with a key as it does without one', async () => {
  const { prisma } = service.database
  // Longer than the default timeout of a Prisma transaction.
  await prisma.$executeRawUnsafe(`
    CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_sleep(5.5); RETURN new; END $$`)
  await prisma.$executeRaw`CREATE TRIGGER linger BEFORE INSERT ON end_users
    FOR EACH ROW EXECUTE FUNCTION linger()`
  const response = await service.send(
    tenant.key,
    'POST',
    '/2023-12/users',
    { username: `lingers ${++counter}` },
    { 'idempotency-key': `lingers-${counter}` },
  )
  await prisma.$executeRaw`DROP TRIGGER linger ON end_users`
  expect(response.statusCode, response.body).toBe(200)
})
