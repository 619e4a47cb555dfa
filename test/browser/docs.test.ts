/** The documentation as a person uses it: read, search, ask; and nothing from another host. */
import Fastify, { type FastifyInstance } from 'fastify'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addDocsRoutes } from '../../src/api/docs.ts'
import { browserMissing, openBrowser } from '../support/browser.ts'
import { type OpenApiDocument, openapiText } from '../support/openapi.ts'

const KEY = `tl_dev_${'0'.repeat(48)}`
const missing = browserMissing()
if (missing !== undefined) console.warn(missing)

// Proven by openapi.test.ts.
const { tags, 'x-tagGroups': groups } = JSON.parse(openapiText) as OpenApiDocument

describe.skipIf(missing !== undefined)('the documentation', () => {
  let server: FastifyInstance
  let address: string
  let browser: Browser
  const asked: { url: string; authorization: string | undefined }[] = []

  beforeAll(async () => {
    server = Fastify()
    addDocsRoutes(server)
    server.get('/2024-03/one/accounting/payments', async ({ url, headers }) => {
      asked.push({ url, authorization: headers.authorization })
      return { payments: [] }
    })
    address = await server.listen({ port: 0, host: '127.0.0.1' })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
  })

  /** The page on a screen of this width; what goes wrong on it: requests to other hosts, errors of its scripts. */
  const open = async (width: number, place = ''): Promise<[Page, readonly string[]]> => {
    const page = await browser.newPage({ viewport: { width, height: 1000 } })
    const troubles: string[] = []
    await page.route(
      (url) => url.origin !== address && !/^(data|blob):/.test(url.protocol),
      async (route) => {
        troubles.push(route.request().url())
        await route.abort()
      },
    )
    // What the page's own policy refuses is told here too, before it is a request.
    page.on('console', (message) => {
      if (message.type() === 'error') troubles.push(message.text())
    })
    page.on('pageerror', ({ message }) => void troubles.push(message))
    await page.goto(`${address}/docs${place}`)
    await page.getByRole('heading', { name: 'Trunkline', exact: true }).waitFor()
    return [page, troubles]
  }

  test('shows every resource and group of operations, each with its heading', async () => {
    const [page, troubles] = await open(1440)
    const navigation = page.getByRole('navigation').first()
    for (const { name } of groups) await navigation.getByText(name, { exact: true }).waitFor()
    for (const { name } of tags) {
      const entry = navigation.getByText(name, { exact: true })
      await entry.scrollIntoViewIfNeeded()
      expect(await entry.isVisible(), name).toBe(true)
    }
    expect(tags.length).toBeGreaterThan(25)
    expect(troubles).toEqual([])
  }, 90_000)

  test('asks a question with a key', async () => {
    const [page, troubles] = await open(
      1440,
      '#tag/accounting-payments/GET/2024-03/one/accounting/payments',
    )
    await page.getByPlaceholder('Token').first().fill(KEY)
    await page
      .getByRole('button', { name: /Test Request/ })
      .first()
      .click()
    await page.getByRole('button', { name: /^Send get request/ }).click()
    await page.getByText('200', { exact: false }).first().waitFor()
    await expect.poll(() => asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({
      url: expect.stringContaining('/accounting/payments?credentialId='),
      authorization: `Bearer ${KEY}`,
    })
    expect(troubles).toEqual([])
  }, 90_000)

  test('is as wide as a narrow screen, and no wider', async () => {
    const [page, troubles] = await open(390)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    expect(width).toBe(390)
    expect(troubles).toEqual([])
  }, 90_000)
})
