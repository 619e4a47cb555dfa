/** API keys, managed by a backend that has one. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Call, callOver, transports } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

let service: TestService
let otherTenant: Tenant

beforeAll(async () => {
  service = await startService()
  otherTenant = await service.createTenant('production', [], 'Other organisation')
})
afterAll(() => service.stop())

describe.each(transports)('over %s', (transport) => {
  let call: Call
  let key: string
  let round = 0
  beforeAll(() => {
    call = callOver(service, transport)
  })
  beforeEach(async () => {
    round += 1
    key = (await service.createTenant('development', [], `${transport} ${round}`)).key
  })

  const expectRejected = async (other: string) =>
    expect(await call(other, 'apiKeys')).toMatchObject({ status: 401 })

  test('a new key opens the same environment and is not shown again', async () => {
    const { result } = await call(key, 'generateApiKey')
    expect(result).toEqual({
      keyId: expect.stringMatching(UUID),
      key: expect.stringMatching(/^tl_dev_[0-9a-f]{48}$/),
    })
    const list = await call(result.key, 'apiKeys')
    expect(list.result).toHaveLength(2)
    expect(list.result[1]).toEqual({
      keyId: result.keyId,
      prefix: result.key.slice(0, 16),
      kind: 'development',
      createdAt: expect.stringMatching(TIME),
      lastUsedAt: null,
      revokedAt: null,
    })
    expect(JSON.stringify(list)).not.toContain(result.key)
    expect((await call(key, 'apiKeys')).result).toEqual(list.result)
  })

  test('a regenerated key replaces all others', async () => {
    const { result: further } = await call(key, 'generateApiKey')
    const { result } = await call(key, 'regenerateApiKey')
    expect(result).toMatchObject({ revoked: 2 })
    await expectRejected(key)
    await expectRejected(further.key)
    const list = await call(result.key, 'apiKeys')
    expect(list.result.map(({ revokedAt }: { revokedAt: string | null }) => revokedAt)).toEqual([
      expect.stringMatching(TIME),
      expect.stringMatching(TIME),
      null,
    ])
  })

  test('a key is revoked by its id, once, and only by its own environment', async () => {
    const { keyId, key: further } = (await call(key, 'generateApiKey')).result
    const absent = { status: 404, code: 'NOT_FOUND' }
    for (const id of [keyId, 'no uuid', '99999999-0000-4000-8000-000000000009'])
      expect(await call(otherTenant.key, 'revokeApiKey', { keyId: id })).toMatchObject(absent)
    expect((await call(further, 'apiKeys')).status).toBe(200)
    expect(await call(key, 'revokeApiKey', { keyId })).toMatchObject({
      status: 200,
      result: keyId,
    })
    await expectRejected(further)
    expect(await call(key, 'revokeApiKey', { keyId })).toMatchObject(absent)
    expect((await call(key, 'apiKeys')).status).toBe(200)
  })
})

test('a repeated request for a key gets the same key, which is never stored in plain text', async () => {
  const { key, environmentId } = await service.createTenant('development', [], 'Repeated')
  const send = async () => {
    const response = await service.server.inject({
      url: '/2024-03/api-keys',
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'idempotency-key': 'one' },
    })
    return response.json().data.key
  }
  const created = await send()
  expect(created).toMatch(/^tl_dev_[0-9a-f]{48}$/)
  expect(await send()).toBe(created)
  const { prisma } = service.database
  expect(await prisma.apiKey.count({ where: { environmentId } })).toBe(2)
  const [storedRequest] = await prisma.idempotentRequest.findMany({ where: { environmentId } })
  expect(Buffer.from(storedRequest?.sealedBody ?? '').toString('latin1')).not.toContain(
    created.slice(16),
  )
  expect(storedRequest?.sealedBody).not.toBeNull()
})
