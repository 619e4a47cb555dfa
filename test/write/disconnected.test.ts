/** A write whose credential is deleted before the app answers. */
import { expect, test } from 'vitest'
import { CREDENTIAL, openWriteHarness } from './write-harness.ts'

test.each(['PUT', 'DELETE'] as const)(
  'a %s stores nothing once its credential is deleted',
  async (method) => {
    const harness = await openWriteHarness()
    const { service, tenant, rolodex } = harness
    try {
      const firm = (await harness.write('POST', '/accounts', { accountName: 'Firm' })).json()
        .account
      rolodex.onResponse = async (request) => {
        if (!request.startsWith(method)) return
        const url = `/2024-03/users/${tenant.userId}/credentials/${CREDENTIAL}`
        expect((await service.send(tenant.key, 'DELETE', url)).statusCode).toBe(200)
      }
      const body = method === 'PUT' ? { accountName: 'Firm', accountOwner: 'Mine' } : undefined
      const response = await harness.write(method, `/accounts/${firm.id}`, body)
      expect([response.statusCode, response.json().error?.code]).toEqual([
        404,
        'CREDENTIAL_NOT_FOUND',
      ])
      expect(await harness.changes()).toEqual([
        'created crm/accounts',
        'created connection/deleted',
      ])
    } finally {
      await harness.stop()
    }
  },
)
