/** The secret that signs the posts of workflows: created with the integration, readable by its integrator, rotatable. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callOver, transports } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { defineWorkflow } from '../support/workflow.ts'

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/

let service: TestService
let tenant: Tenant
beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
})
afterAll(() => service.stop())

describe.each(transports)('over %s', (transport) => {
  const call = (name: string, input: Record<string, unknown>, key = tenant.key) =>
    callOver(service, transport)(key, name, input)
  const integrationInput = (slug: string, number = 1) => ({
    slug: `${slug}-${transport.toLowerCase()}`,
    name: 'Shop',
    app: 'sandbox',
    workflows: [{ slug: 'one', name: 'One', definition: defineWorkflow(number) }],
  })

  test('an integration gets a secret when it is defined, and keeps it when it is defined again', async () => {
    const { result } = await call('defineIntegration', integrationInput('made'))
    const { integrationId } = result
    const secret = await call('integrationSecret', { integrationId })
    expect(secret.result, secret.message).toMatch(SECRET)
    await call('defineIntegration', integrationInput('made', 2))
    expect((await call('integrationSecret', { integrationId })).result).toBe(secret.result)
    const other = (await call('defineIntegration', integrationInput('other'))).result
    const others = await call('integrationSecret', { integrationId: other.integrationId })
    expect(others.result).toMatch(SECRET)
    expect(others.result).not.toBe(secret.result)
    expect(JSON.stringify(result)).not.toContain('whsec_')
  })

  test('rotation changes the secret, which is stored encrypted', async () => {
    const { integrationId } = (await call('defineIntegration', integrationInput('rotated'))).result
    const before = (await call('integrationSecret', { integrationId })).result
    const after = await call('rotateIntegrationSecret', { integrationId })
    expect(after.result, after.message).toMatch(SECRET)
    expect(after.result).not.toBe(before)
    expect((await call('integrationSecret', { integrationId })).result).toBe(after.result)
    const row = await service.database.prisma.integration.findUniqueOrThrow({
      where: { id: integrationId },
    })
    for (const secret of [before, after.result]) {
      const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64')
      for (const sealed of [row.sealedSecret, row.sealedOldSecret])
        for (const form of [secret, bytes])
          expect(Buffer.from(sealed ?? []).includes(form)).toBe(false)
    }
  })

  test('another environment’s integration responds like one that never existed', async () => {
    const { integrationId } = (await call('defineIntegration', integrationInput('mine'))).result
    const otherTenant = await service.createTenant('production', [])
    for (const name of ['integrationSecret', 'rotateIntegrationSecret'])
      for (const [key, id] of [
        [otherTenant.key, integrationId],
        [tenant.key, 'a1f0c2d4-6b58-4e7a-9c31-52d8e7f6b904'],
        [tenant.key, 'none'],
      ])
        expect(await call(name, { integrationId: id }, key)).toMatchObject({
          status: transport === 'REST' ? 404 : expect.any(Number),
          code: 'NOT_FOUND',
        })
  })
})
