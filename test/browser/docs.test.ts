/** The documentation as a person uses it: read, search, ask; and nothing from another host. */
import Fastify, { type FastifyInstance } from 'fastify'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addDocsRoutes } from '../../src/api/docs.ts'
import { browserMissing, openBrowser } from '../support/browser.ts'

const KEY = `tl_dev_${'0'.repeat(48)}`
const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const missing = browserMissing()
if (missing !== undefined) console.warn(missing)

describe.skipIf(missing !== undefined)('the documentation', () => {
  let server: FastifyInstance
  let address: string
  const asked: { url: string; authorization: string | undefined }[] = []

  beforeAll(async () => {
    server = Fastify()
    addDocsRoutes(server)
    server.get('/2024-03/one/accounting/payments', async ({ url, headers }) => {
      asked.push({ url, authorization: headers.authorization })
      return { payments: [] }
    })
    address = await server.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => server.close())

  /** What goes wrong on a page: requests to other hosts, refusals by its policy, errors of its scripts. */
  const watch = (page: Page): readonly string[] => {
    const troubles: string[] = []
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(`${address}/`) && !/^(data|blob):/.test(url)) troubles.push(url)
    })
    page.on('console', (message) => {
      if (message.type() === 'error') troubles.push(message.text())
    })
    page.on('pageerror', ({ message }) => void troubles.push(message))
    return troubles
  }

  test('shows every resource, and asks a question with a key, without a request to another host', async () => {
    const browser = await openBrowser()
    try {
      const page = await browser.newPage({ viewport: { width: 1200, height: 1400 } })
      const troubles = watch(page)
      await page.goto(`${address}/docs`)
      await page.getByRole('heading', { name: 'Accounting: vendors' }).waitFor()
      expect(await page.locator('.opblock-tag').count()).toBe(24)

      await page.getByRole('button', { name: 'Authorize' }).click()
      await page.locator('.modal-ux input').fill(KEY)
      await page.locator('.modal-ux button.authorize').click()
      await page.locator('.modal-ux button.btn-done').click()

      await page.getByRole('heading', { name: 'Accounting: payments' }).click()
      await page.locator('[id$=listAccountingPayments] .opblock-summary-control').click()
      await page.locator('.opblock.is-open', { hasText: '"transactionDate"' }).waitFor()
      await page.getByRole('button', { name: 'Try it out' }).click()
      await page.getByPlaceholder('credentialId').fill(CREDENTIAL)
      await page.getByRole('button', { name: 'Execute' }).click()
      await page.locator('.live-responses-table', { hasText: '200' }).waitFor()
      expect(asked).toEqual([
        {
          url: expect.stringContaining(`/accounting/payments?credentialId=${CREDENTIAL}`),
          authorization: `Bearer ${KEY}`,
        },
      ])
      expect(troubles).toEqual([])
    } finally {
      await browser.close()
    }
  }, 90_000)
})
