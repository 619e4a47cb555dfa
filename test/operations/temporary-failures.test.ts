/** SQLSTATEs of temporary errors, and no others, become 503 with Retry-After. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type Tenant, type TestService } from '../support/service.ts'

let service: TestService
let tenant: Tenant
beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
})
afterAll(() => service.stop())

/** Makes PostgreSQL raise the SQLSTATE for each new end user. */
const failWith = async (sqlState: string): Promise<void> => {
  const { prisma } = service.database
  await prisma.$executeRawUnsafe(`
    CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${sqlState}'; END $$`)
  await prisma.$executeRawUnsafe(`
    CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON end_users EXECUTE FUNCTION refuse()`)
}

const createUser = () => service.send(tenant.key, 'POST', '/2023-12/users', { username: 'harbour' })

test.each([
  ['disk full', '53100', '10'],
  ['out of memory', '53200', '2'],
  ['too many connections', '53300', '2'],
  ['configuration limit exceeded', '53400', '2'],
  ['connection failure', '08006', '1'],
  ['admin shutdown', '57P01', '1'],
  ['crash shutdown', '57P02', '1'],
  ['cannot connect now', '57P03', '1'],
  ['idle session timeout', '57P05', '1'],
  ['query canceled', '57014', '2'],
  ['lock not available', '55P03', '1'],
  ['serialization failure', '40001', '1'],
  ['deadlock detected', '40P01', '1'],
  ['idle in transaction timeout', '25P03', '2'],
  ['read-only transaction', '25006', '5'],
])('%s (%s) is a 503 with Retry-After: %s', async (_name, sqlState, retryAfter) => {
  await failWith(sqlState)
  const response = await createUser()
  expect(response.json().error).toMatchObject({ code: 'NOT_READY' })
  expect(response.statusCode).toBe(503)
  expect(response.headers['retry-after']).toBe(retryAfter)
})

test('a GraphQL mutation has the same error and Retry-After', async () => {
  await failWith('53100')
  const response = await service.server.inject({
    url: '/graphql',
    method: 'POST',
    headers: {
      authorization: `Bearer ${tenant.key}`,
      accept: 'application/graphql-response+json',
    },
    payload: { query: 'mutation { createUser(input: { username: "harbour" }) { __typename } }' },
  })
  expect(response.json().errors).toMatchObject([
    { message: expect.stringContaining('disk'), extensions: { code: 'NOT_READY' } },
  ])
  expect(response.headers['retry-after']).toBe('10')
})

test.each(['22012', '23514', '42P01', 'XX000'])(
  'any other SQLSTATE (%s) is a 500',
  async (sqlState) => {
    await failWith(sqlState)
    const response = await createUser()
    expect(response.statusCode).toBe(500)
    expect(response.headers['retry-after']).toBeUndefined()
  },
)
