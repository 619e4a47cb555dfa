/** A page of another origin, in a browser, with the token of an end user. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserMissing, openBrowser } from '../support/browser.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const missing = browserMissing()
if (missing !== undefined) console.warn(missing)

describe.skipIf(missing !== undefined)('a page of another origin', () => {
  let service: TestService
  let tenant: Tenant
  let address: string
  let site: Server
  let page: string

  beforeAll(async () => {
    service = await startService({ graphiql: true })
    tenant = await service.createTenant('development', [CREDENTIAL])
    address = await service.server.listen({ port: 0, host: '127.0.0.1' })
    site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<!doctype html><title>A product</title>')
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    page = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    site.close()
    await service.stop()
  })

  test('lists integrations and installs with a user token, and reads no records', async () => {
    const { token } = await service.tokens.issue(tenant)
    const browser = await openBrowser()
    try {
      const tab = await browser.newPage()
      await tab.goto(page)
      /** Status, request id and code, or a note that the browser blocked the response. */
      const send = (
        path: string,
        bearer: string,
        init: { readonly method?: string; readonly body?: string } = {},
      ) =>
        tab.evaluate(
          async ({ url, authorization, init }) => {
            const headers = { authorization, 'content-type': 'application/json' }
            try {
              const result = await fetch(url, { ...init, headers })
              const { data, error } = await result.json()
              const hasId = result.headers.get('x-request-id') !== null
              return { status: result.status, hasId, data, code: error?.code }
            } catch {
              return 'kept from the page'
            }
          },
          { url: address + path, authorization: `Bearer ${bearer}`, init },
        )
      const post = { method: 'POST', body: '{"integrationId":"x"}' }
      const install = '/2024-03/headless/startInstallation'
      const records = `/2024-03/one/crm/accounts?credentialId=${CREDENTIAL}`
      expect(await send('/2024-03/integrations', token)).toEqual({
        status: 200,
        hasId: true,
        data: [],
      })
      expect(await send(install, token, post)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
      expect(await send('/2024-03/integrations', 'a.b.c')).toMatchObject({
        status: 401,
        code: 'UNAUTHENTICATED',
      })
      const blocked = 'kept from the page'
      for (const bearer of [token, tenant.key]) {
        expect(await send(records, bearer)).toBe(blocked)
        expect(await send('/2024-03/one/users', bearer)).toBe(blocked)
        expect(await send('/2024-03/integrations', bearer, { method: 'PUT', body: '{}' })).toBe(
          blocked,
        )
        expect(await send('/graphql', bearer, { method: 'POST', body: '{}' })).toBe(blocked)
      }
      // The same requests succeed in a page of the server's origin, so it was the browser that blocked them.
      await tab.goto(`${address}/docs`)
      expect(await send(records, tenant.key)).toMatchObject({ status: 200 })
    } finally {
      await browser.close()
    }
  })
})
