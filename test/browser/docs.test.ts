/** The documentation in a browser: it can be read, searched and tried, without requests to other hosts. */
import Fastify, { type FastifyInstance } from 'fastify'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addDocsRoutes } from '../../src/api/http/docs.ts'
import { findViolations } from '../support/axe.ts'
import { browserMissing, openBrowser } from '../support/browser.ts'
import { type OpenApiDocument, openapiText } from '../support/openapi.ts'

/** The rules of axe that elements of Scalar's own violate, whatever the document and its settings. */
const VIOLATED_BY_SCALAR = new Set([
  'aria-allowed-attr',
  'aria-allowed-role',
  'aria-required-children',
  'button-name',
  'color-contrast',
  'label-content-name-mismatch',
  'scrollable-region-focusable',
])
const KEY = `tl_dev_${'0'.repeat(48)}`
const missing = browserMissing()
if (missing !== undefined) console.warn(missing)

// openapi.test.ts proves that the document has this type.
const { tags, webhooks, 'x-tagGroups': groups } = JSON.parse(openapiText) as OpenApiDocument

describe.skipIf(missing !== undefined)('the documentation', () => {
  let server: FastifyInstance
  let address: string
  let browser: Browser
  const requested: { url: string; authorization: string | undefined }[] = []

  beforeAll(async () => {
    server = Fastify()
    addDocsRoutes(server)
    server.get('/2024-03/one/accounting/payments', async ({ url, headers }) => {
      requested.push({ url, authorization: headers.authorization })
      return { payments: [] }
    })
    address = await server.listen({ port: 0, host: '127.0.0.1' })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
  })

  /** Opens the page at this width and records its problems: requests to other hosts, script errors. */
  const open = async (width: number, place = ''): Promise<[Page, readonly string[]]> => {
    const page = await browser.newPage({ viewport: { width, height: 1000 } })
    const problems: string[] = []
    await page.route(
      (url) => url.origin !== address && !/^(data|blob):/.test(url.protocol),
      async (route) => {
        problems.push(route.request().url())
        await route.abort()
      },
    )
    // Also reports what the content security policy blocks before it becomes a request.
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text())
    })
    page.on('pageerror', ({ message }) => void problems.push(message))
    await page.goto(`${address}/docs${place}`)
    await page.getByRole('heading', { name: 'Trunkline', exact: true }).waitFor()
    return [page, problems]
  }

  test('shows every resource and group of operations, each with its heading', async () => {
    const [page, problems] = await open(1440)
    const navigation = page.getByRole('navigation').first()
    for (const { name } of groups) await navigation.getByText(name, { exact: true }).waitFor()
    for (const { name } of tags) {
      const entry = navigation.getByText(name, { exact: true })
      await entry.scrollIntoViewIfNeeded()
      expect(await entry.isVisible(), name).toBe(true)
    }
    expect(tags.length).toBeGreaterThan(25)
    expect(problems).toEqual([])
  }, 90_000)

  test('shows the message of every webhook topic, and axe finds nothing that is not Scalar’s', async () => {
    const [page, problems] = await open(1440, '#tag/webhooks')
    const navigation = page.getByRole('navigation').first()
    for (const topic of Object.keys(webhooks))
      await navigation.getByText(webhooks[topic]?.post.summary ?? '', { exact: true }).waitFor()
    const rules = (await findViolations(page)).map((violation) => violation.split(':')[0] ?? '')
    expect(rules.filter((rule) => !VIOLATED_BY_SCALAR.has(rule))).toEqual([])
    expect(problems).toEqual([])
  }, 90_000)

  test('sends a request with a key', async () => {
    const [page, problems] = await open(
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
    await expect.poll(() => requested).toHaveLength(1)
    expect(requested[0]).toMatchObject({
      url: expect.stringContaining('/accounting/payments?credentialId='),
      authorization: `Bearer ${KEY}`,
    })
    expect(problems).toEqual([])
  }, 90_000)

  test('of a development service contains the key of the URL and an existing credential', async () => {
    const development = Fastify()
    addDocsRoutes(development, { credentialId: 'credential-that-exists' })
    const origin = await development.listen({ port: 0, host: '127.0.0.1' })
    const page = await browser.newPage({ viewport: { width: 1440, height: 1000 } })
    await page.goto(`${origin}/docs#key=${KEY}`)
    await page.getByRole('heading', { name: 'Trunkline', exact: true }).waitFor()
    expect(await page.getByPlaceholder('Token').first().inputValue()).toBe(KEY)
    expect(page.url()).not.toContain('tl_dev_')
    expect(JSON.stringify(await page.evaluate('Object.values(localStorage)'))).not.toContain(KEY)
    await page.goto(`${origin}/docs#tag/accounting-payments/GET/2024-03/one/accounting/payments`)
    await page.getByText('credential-that-exists').filter({ visible: true }).first().waitFor()
    await page.close()
    await development.close()
  }, 90_000)

  test('of a production service contains no key and no credential', async () => {
    const [page] = await open(1440, `#key=${KEY}`)
    expect(await page.getByPlaceholder('Token').first().inputValue()).toBe('')
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
  }, 90_000)

  test('fits a narrow screen', async () => {
    const [page, problems] = await open(390)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    expect(width).toBe(390)
    expect(problems).toEqual([])
  }, 90_000)
})
