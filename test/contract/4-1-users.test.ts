/** Sections 4, 4.1 and 4.9 of the contract: rules of every call, users, and the list of subscriptions. */

import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callOver, transports } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { defineWorkflow } from '../support/workflow.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'

let service: TestService
let tenant: Tenant
beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL])
})
afterAll(() => service.stop())

const send = (method: 'GET' | 'POST' | 'PUT', url: string, body?: object) =>
  service.send(tenant.key, method, url, body)

let counter = 0
const createUser = async (fullName?: string) => {
  const username = `user-${++counter}`
  const response = await send('POST', '/2023-12/users', { username, ...(fullName && { fullName }) })
  expect(response.statusCode, response.body).toBe(200)
  return { username, userId: response.json().userId as string }
}

describe('4 every endpoint', () => {
  test('4.0.1 user management is under 2023-12, everything else under 2024-03', async () => {
    expect((await send('POST', '/2024-03/users', { username: 'x' })).statusCode).toBe(404)
    expect((await send('GET', '/2023-12/one/users')).statusCode).toBe(404)
    const accounts = `/one/crm/accounts?credentialId=${CREDENTIAL}`
    expect((await send('GET', `/2024-03${accounts}`)).statusCode).toBe(200)
    expect((await send('GET', `/2023-12${accounts}`)).statusCode).toBe(404)
  })

  test.each([
    ['GET', '/2024-03/one/users'],
    ['GET', '/2024-03/one/webhooks'],
    ['GET', `/2024-03/one/crm/accounts?credentialId=${CREDENTIAL}`],
    ['GET', '/2023-12/user/x/token'],
    ['GET', '/2024-03/workflows/x/users'],
    ['POST', '/2023-12/users'],
    ['PUT', `/2024-03/one/accounting/vendors/1?credentialId=${CREDENTIAL}`],
  ] as const)('4.0.2 %s %s needs Authorization', async (method, url) => {
    const response = await service.send(undefined, method, url, method === 'GET' ? undefined : {})
    expect([response.statusCode, response.json().error.code]).toEqual([401, 'UNAUTHENTICATED'])
  })

  test('4.0.3 a body is application/json, and so is the accepted response', async () => {
    const request = (type: string, accept = 'application/json') =>
      service.server.inject({
        method: 'POST',
        url: '/2023-12/users',
        headers: { authorization: `Bearer ${tenant.key}`, 'content-type': type, accept },
        payload: JSON.stringify({ username: `typed-${++counter}` }),
      })
    for (const type of ['application/json', 'application/json; charset=utf-8']) {
      const result = await request(type)
      expect(result.statusCode).toBe(200)
      expect(result.headers['content-type']).toMatch(/^application\/json/)
    }
    expect((await request('text/plain')).statusCode).toBe(415)
  })

  test('4.0.4 unified calls require credentialId', async () => {
    for (const path of ['crm/accounts', 'crm/leads', 'accounting/payments', 'commerce/orders/1']) {
      const response = await send('GET', `/2024-03/one/${path}`)
      expect([response.statusCode, response.json().error.details[0].field]).toEqual([
        400,
        'credentialId',
      ])
    }
    expect((await send('GET', '/2024-03/one/users')).statusCode).toBe(200)
  })
})

describe('4.1', () => {
  test('4.1 Create user returns the id of the user', async () => {
    const response = await send('POST', '/2023-12/users', { username: 'harbour' })
    expect([response.statusCode, response.json()]).toEqual([200, { userId: expect.any(String) }])
    for (const body of [{}, { username: null }, { username: '' }, { username: 7 }]) {
      const refused = await send('POST', '/2023-12/users', body)
      expect([refused.statusCode, refused.json().error.details[0].field]).toEqual([400, 'username'])
    }
  })

  test('4.1 Create user: the username is unique', async () => {
    const { username } = await createUser()
    const duplicate = await send('POST', '/2023-12/users', { username })
    expect([duplicate.statusCode, duplicate.json().error.code]).toEqual([400, 'USERNAME_TAKEN'])
  })

  test('4.1 Get user token returns a token of the user', async () => {
    const { userId } = await createUser()
    const result = await send('GET', `/2023-12/user/${userId}/token`)
    expect([result.statusCode, Object.keys(result.json())]).toEqual([200, ['token']])
    expect(decodeJwt(result.json().token).sub).toBe(userId)
    expect((await send('GET', `/2023-12/user/${CREDENTIAL}/token`)).statusCode).toBe(404)
  })

  test('4.1 List users returns every user of the environment', async () => {
    const { userId, username } = await createUser('Harbour Light Ltd')
    const response = await send('GET', '/2024-03/one/users')
    const { data, ...others } = response.json()
    expect([response.statusCode, others]).toEqual([200, {}])
    expect(data).toContainEqual({ userId, username, fullName: 'Harbour Light Ltd' })
    for (const user of data)
      expect(Object.keys(user).sort()).toEqual(['fullName', 'userId', 'username'])
  })

  test('4.1 List users by workflow, 4.1.1 in the form without a trailing slash', async () => {
    const users = [await createUser('One'), await createUser('Two')]
    const defined = await send('PUT', '/2024-03/integrations', {
      slug: 'sandbox',
      name: 'Sandbox',
      app: 'sandbox',
      workflows: [{ slug: 'orders', name: 'Orders', definition: defineWorkflow(1) }],
    })
    const { integrationId, workflows } = defined.json().integration
    for (const { userId } of users) {
      const credential = { tenant: `of-${userId}`, token: 't' }
      await send('POST', '/2024-03/headless/credentials', { userId, app: 'sandbox', credential })
      const started = await send('POST', '/2024-03/headless/startInstallation', {
        userId,
        integrationId,
      })
      const { installationId } = started.json().data
      await send('POST', '/2024-03/headless/completeInstallation', { installationId, data: {} })
    }
    const entries = users.map(({ userId, username }, index) => ({
      userId,
      username,
      fullName: ['One', 'Two'][index],
      workflowActive: true,
      installedVersion: 1,
    }))
    const url = `/2024-03/workflows/${workflows[0].workflowId}/users/`
    expect((await send('GET', url)).json()).toEqual({ data: entries })
    const alone = await send('GET', `${url}?userId=${users[1]?.userId}`)
    expect(alone.json()).toEqual({ data: [entries[1]] })
    expect((await send('GET', `/2024-03/workflows/${CREDENTIAL}/users/`)).statusCode).toBe(404)
  })

  test.each(transports)(
    '4.1 over %s the users, their tokens and the errors are the same',
    async (transport) => {
      const call = callOver(service, transport)
      const username = `alike-${transport}`
      const created = await call(tenant.key, 'createUser', { username })
      expect(created).toMatchObject({ status: 200, result: { userId: expect.any(String) } })
      const { userId } = created.result
      const duplicate = await call(tenant.key, 'createUser', { username })
      expect(duplicate).toMatchObject({ status: 400, code: 'USERNAME_TAKEN', fields: ['username'] })
      const { result: token } = await call(tenant.key, 'userToken', { userId })
      expect(decodeJwt(token).sub).toBe(userId)
      const { result: users } = await call(tenant.key, 'users')
      expect(users).toContainEqual({ userId, username, fullName: expect.any(String) })
    },
  )
})

describe('4.9', () => {
  test('4.9.1 and 4.9.3 the subscriptions are under one key, with the fields of 2.13', async () => {
    const url = '/2024-03/one/webhooks'
    const other = await service.createTenant('production', [])
    expect((await service.send(other.key, 'GET', url)).json()).toEqual({ subscriptions: [] })
    const input = { address: 'https://hooks.example.com/x', topic: ['crm/leads', 'sync/failed'] }
    const { subscription } = (await service.send(other.key, 'POST', url, input)).json()
    const response = await service.send(other.key, 'GET', url)
    expect([response.statusCode, response.json()]).toEqual([200, { subscriptions: [subscription] }])
    expect(subscription).toEqual({
      subscriptionId: expect.any(String),
      ...input,
      isEnabled: true,
    })
  })

  test('4.9.2 there are no parameters, not even credentialId', async () => {
    expect((await send('GET', '/2024-03/one/webhooks')).statusCode).toBe(200)
    const values = await send('GET', `/2024-03/one/webhooks?pageSize=5`)
    expect([values.statusCode, values.json().error.details[0].field]).toEqual([400, 'pageSize'])
  })
})

test('4.11.1 the integrations that a user can install are listed', async () => {
  const { userId } = await createUser()
  const response = await send('GET', `/2024-03/integrations?userId=${userId}`)
  expect([response.statusCode, Array.isArray(response.json().data)]).toEqual([200, true])
})
