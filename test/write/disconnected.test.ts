/** A write whose credential is deleted before the app answers. */
import { expect, test } from 'vitest'
import { CREDENTIAL, openDesk } from './desk.ts'

test.each(['PUT', 'DELETE'] as const)(
  'a %s stores nothing once its credential is deleted',
  async (method) => {
    const desk = await openDesk()
    const { service, tenant, rolodex } = desk
    try {
      const firm = (await desk.write('POST', '/accounts', { accountName: 'Firm' })).json().account
      rolodex.onAnswer = async (request) => {
        if (!request.startsWith(method)) return
        const url = `/2024-03/users/${tenant.userId}/credentials/${CREDENTIAL}`
        expect((await service.send(tenant.key, 'DELETE', url)).statusCode).toBe(200)
      }
      const body = method === 'PUT' ? { accountName: 'Firm', accountOwner: 'Mine' } : undefined
      const answer = await desk.write(method, `/accounts/${firm.id}`, body)
      expect([answer.statusCode, answer.json().error?.code]).toEqual([404, 'CREDENTIAL_NOT_FOUND'])
      expect(await desk.changes()).toEqual(['created crm/accounts', 'created connection/deleted'])
    } finally {
      await desk.stop()
    }
  },
)
