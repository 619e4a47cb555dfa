/** GraphiQL in a browser: a key in Headers, a query, its result; without requests to other hosts. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { browserMissing, openBrowser } from '../support/browser.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const missing = browserMissing()
if (missing !== undefined) console.warn(missing)

describe.skipIf(missing !== undefined)('GraphiQL', () => {
  let service: TestService
  let tenant: Tenant
  let address: string

  beforeAll(async () => {
    service = await startService({ graphiql: true })
    tenant = await service.createTenant('development', [CREDENTIAL])
    const accounts = catalogue.get('crm/accounts')
    await service.save(tenant, CREDENTIAL, accounts, [sampleRecord(CREDENTIAL, accounts, 1)])
    address = await service.server.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => service.stop())

  test('runs a query with the key in Headers, without a request to another host', async () => {
    const browser = await openBrowser()
    try {
      const page = await browser.newPage()
      const foreign: string[] = []
      page.on('request', (request) => {
        const url = request.url()
        if (!url.startsWith(address) && !/^(data|blob):/.test(url)) foreign.push(url)
      })
      const query = `{ crmAccounts(credentialId: "${CREDENTIAL}") { nodes { remoteId } } }`
      await page.goto(`${address}/graphql?query=${encodeURIComponent(query)}`)
      await page.getByRole('button', { name: 'Headers' }).click()
      await page.locator('.graphiql-editor-tool .monaco-editor:visible').click()
      await page.keyboard.insertText(JSON.stringify({ authorization: `Bearer ${tenant.key}` }))
      await page.getByRole('button', { name: /execute query/i }).click()
      await page.locator('.graphiql-response', { hasText: '"remoteId"' }).waitFor()
      expect(foreign).toEqual([])
    } finally {
      await browser.close()
    }
  })

  test('fills in the key of the URL, and keeps it out of the address and of permanent storage', async () => {
    const browser = await openBrowser()
    try {
      const page = await browser.newPage()
      const query = `{ crmAccounts(credentialId: "${CREDENTIAL}") { nodes { remoteId } } }`
      await page.goto(`${address}/graphql?query=${encodeURIComponent(query)}#key=${tenant.key}`)
      await page.getByRole('button', { name: /execute query/i }).click()
      await page.locator('.graphiql-response', { hasText: '"remoteId"' }).waitFor()
      expect(page.url()).not.toContain('tl_dev_')
      expect(JSON.stringify(await page.evaluate('Object.values(localStorage)'))).not.toContain(
        tenant.key,
      )
    } finally {
      await browser.close()
    }
  })

  test('is not served in production', async () => {
    const production = await startService()
    const response = await production.server.inject({
      url: '/graphql',
      headers: { accept: 'text/html' },
    })
    await production.stop()
    expect(response.statusCode).toBe(401)
    expect(response.headers['content-type']).toContain('json')
  })
})
