/** The Connect modal in an integrator's page: another origin, a strict content security policy, a real browser. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Frame, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connectors } from '../../src/generated/registry.ts'
import { createSyncOf } from '../../src/process/workers.ts'
import { type Block, pages } from '../docs/pages.ts'
import { browserMissing } from '../support/browser.ts'
import {
  type ConnectHarness,
  click,
  expectAccessible,
  startConnectHarness,
  type Visit,
  waitForHeading,
} from '../support/connect-harness.ts'
import type { Tenant, TestService } from '../support/service.ts'
import { findUnusedAddress } from '../support/unused-address.ts'
import { defineWorkflow } from '../support/workflow.ts'

const isHtml = ({ language }: Block): boolean => language === 'html'
const HOSTILE = '<img src=x onerror=alert(1)>'
const missing = browserMissing()
if (missing !== undefined) console.warn(missing)

const countApps = (category: string): number =>
  [...connectors.values()].filter(({ resources }) =>
    Object.keys(resources).some((topic) => topic.startsWith(`${category}/`)),
  ).length

describe.skipIf(missing !== undefined)('the Connect modal', () => {
  let product: ConnectHarness
  let service: TestService
  let address: string
  let tenant: Tenant
  let page: Page
  let problems: string[]
  let run: Visit['run']
  let signIn: Visit['signIn']
  let call: Visit['call']
  let frame: Visit['frame']
  let leave: Visit['waitUntilClosed']

  beforeAll(async () => {
    product = await startConnectHarness()
    ;({ service, address } = product)
  })
  afterAll(() => product.stop())
  beforeEach(async () => {
    const visit = await product.visit()
    ;({ tenant, page, problems, run, signIn, call, frame, waitUntilClosed: leave } = visit)
  })
  afterEach(() => page.close())

  test('connects an app; errors appear next to their field', async () => {
    await signIn()
    const result = call('authenticate')
    const window = await frame()
    await waitForHeading(window, 'Connect an app')
    await expectAccessible(window)
    await window.getByRole('button', { name: 'Vendure' }).click()
    await waitForHeading(window, 'Connect Vendure')
    await expectAccessible(window)
    await window.getByRole('button', { name: 'Back' }).click()
    await window.getByRole('button', { name: 'Sandbox' }).click()
    const connect = window.getByRole('button', { name: 'Connect', exact: true })
    // The browser itself validates required fields.
    await connect.click()
    await window.getByLabel('Tenant').fill('   ')
    await window.getByLabel('Token').fill('not it')
    expect(await window.getByLabel('Token').getAttribute('type')).toBe('password')
    await connect.click()
    await window.getByText('Expected a value (required).').waitFor()
    await window.getByText('Check the highlighted fields.').waitFor()
    expect(await window.getByLabel('Tenant').getAttribute('aria-invalid')).toBe('true')
    await expectAccessible(window)
    // The browser logs the rejected request as an error; nothing else may be in its console.
    expect(problems.splice(0)).toEqual([expect.stringContaining('400')])
    await window.getByLabel('Tenant').fill('acme')
    await connect.click()
    await window.getByText('The app rejected these credentials.').waitFor()
    expect(problems.splice(0)).toEqual([expect.stringContaining('400')])
    await window.getByLabel('Token').fill('secret')
    await connect.click()
    await waitForHeading(window, 'Sandbox is connected')
    await window.getByText('The data of Acme is now being imported.').waitFor()
    await window.getByRole('progressbar', { name: 'Progress of the first sync' }).waitFor()
    await expectAccessible(window)
    expect(await result).toEqual({ success: true, credentialId: expect.any(String) })
    // The screen follows the first sync.
    await createSyncOf(service.runtime).syncNow(Object(await result).credentialId)
    await window.getByRole('status').getByText('All data has been imported.').waitFor()
    await window.getByText(/^[\d,]+ records$/).waitFor()
    expect(await window.getByRole('progressbar').count()).toBe(0)
    await leave(click(window, 'Done'))
    const credentials = await service.database.prisma.credential.findMany({
      where: { userId: tenant.userId },
    })
    expect(await result).toMatchObject({ credentialId: credentials[0]?.id })
    expect(credentials).toMatchObject([{ app: 'sandbox' }])
    expect(problems).toEqual([])
  })

  test('opens with the example of the documentation', async () => {
    const { token } = await service.tokens.issue(tenant)
    for (const { text } of pages.flatMap(({ blocks }) => blocks).filter(isHtml)) {
      const example = text.replace('http://127.0.0.1:4000', address)
      const tab = await product.browser.newPage()
      const body = `<!doctype html><title>A product</title><h1>Apps</h1><script>const token = '${token}'</script>${example}`
      const exampleSite = createServer((_request, response) => {
        response.setHeader('content-type', 'text/html')
        response.end(body)
      })
      await new Promise<void>((resolve) => exampleSite.listen(0, '127.0.0.1', resolve))
      await tab.goto(`http://127.0.0.1:${(exampleSite.address() as AddressInfo).port}`)
      await expect.poll(() => tab.frames().length).toBe(2)
      await waitForHeading(tab.frames()[1] as Frame, 'Connect an app')
      await tab.close()
      exampleSite.close()
    }
    expect(pages.flatMap(({ blocks }) => blocks).filter(isHtml)).toHaveLength(2)
  })

  test('an app that does not respond is connected only on confirmation; connected accounts show their state', async () => {
    await signIn()
    const result = call('authenticate')
    const window = await frame()
    await window.getByRole('button', { name: 'Vendure' }).click()
    const url = await findUnusedAddress()
    await window.getByLabel('URL', { exact: true }).fill(url)
    await window.getByLabel('API key', { exact: true }).fill('k')
    await click(window, 'Connect')
    await window.getByText(`nothing answers at ${url}: connection refused (ECONNREFUSED)`).waitFor()
    expect(problems.splice(0)).toEqual([expect.stringContaining('502')])
    const { credential } = service.database.prisma
    expect(await credential.count({ where: { userId: tenant.userId } })).toBe(0)
    await click(window, 'Connect anyway')
    await waitForHeading(window, 'Vendure is connected, but its sync fails')
    await window.getByText('Check that the app is running').waitFor()
    expect(await window.getByText('✓').count()).toBe(0)
    expect(await result).toMatchObject({ success: true })
    await leave(click(window, 'Done'))

    const connected = await service.send(tenant.key, 'POST', '/2024-03/headless/credentials', {
      userId: tenant.userId,
      app: 'sandbox',
      credential: { tenant: 'acme', token: 'secret' },
    })
    expect(connected.statusCode).toBe(200)
    void call('authenticate')
    const list = await frame()
    await waitForHeading(list, 'Connect an app')
    await list.getByText(/Sync failing: nothing answers at .+ · 0 records/).waitFor()
    await list.getByText(/^Sandbox · Connected /).waitFor()
    await list.getByText(/^First sync in progress · 0 records, 0 of/).waitFor()
    expect(problems).toEqual([])
    await leave(page.keyboard.press('Escape'))
  })

  test('a connected account and each kind of its data show their state and can be synced, paused and resumed', async () => {
    const connected = await service.send(tenant.key, 'POST', '/2024-03/headless/credentials', {
      userId: tenant.userId,
      app: 'sandbox',
      credential: { tenant: 'acme', token: 'secret' },
    })
    const { credentialId } = connected.json()
    const stateOf = async (topic?: string): Promise<string> => {
      const path = `/2024-03/users/${tenant.userId}/credentials/${credentialId}`
      const { credential } = (await service.send(tenant.key, 'GET', path)).json()
      const { resources } = credential
      return (
        topic ? resources.find((sync: { topic: string }) => sync.topic === topic) : credential
      ).state
    }
    await signIn()
    void call('authenticate')
    const window = await frame()
    await window.getByRole('button', { name: /^Acme Sandbox · Connected/ }).click()
    await waitForHeading(window, 'Acme')
    const state = window.getByRole('status').filter({ hasText: 'First sync in progress' })
    await state.waitFor()
    await window.getByText(/^0 records, 0 of \d+ kinds of data$/).waitFor()
    await expectAccessible(window)

    // The screen follows the sync.
    await createSyncOf(service.runtime).syncNow(credentialId)
    await window.getByRole('status').getByText('Connected', { exact: true }).waitFor()
    await window.getByText('None yet').waitFor({ state: 'detached' })

    // By keyboard: the button keeps the focus while it changes from Pause to Resume and back.
    const findButton = (name: string) => window.getByRole('button', { name, exact: true })
    await findButton('Pause: Acme').focus()
    await page.keyboard.press('Enter')
    await window.getByText('The sync was paused: Acme.').waitFor()
    await window
      .getByRole('status')
      .getByText(/^Paused since /)
      .waitFor()
    await window.getByText('Resume the sync.').waitFor()
    await window.getByText('After it is resumed').waitFor()
    expect(await findButton('Sync now: Acme').count()).toBe(0)
    expect(await stateOf()).toBe('paused')
    await expectAccessible(window)
    await page.keyboard.press('Enter')
    await window.getByText('The sync was resumed: Acme.').waitFor()
    expect(await stateOf()).toBe('connected')
    await findButton('Sync now: Acme').click()
    await window.getByText('A full sync was requested: Acme.').waitFor()

    await window.getByText(/^\d+ kinds of data$/).click()
    await findButton('Pause: Orders (Commerce)').click()
    await window.getByText('The sync was paused: Orders (Commerce).').waitFor()
    await window.getByText(/^Paused · [\d,]+ records · synced /).waitFor()
    expect(await stateOf('commerce/orders')).toBe('paused')
    expect(await stateOf()).toBe('connected')
    await expectAccessible(window)
    await findButton('Resume: Orders (Commerce)').click()
    await window.getByText('The sync was resumed: Orders (Commerce).').waitFor()
    expect(await stateOf('commerce/orders')).toBe('connected')
    await findButton('Sync now: Orders (Commerce)').click()
    await window.getByText('A full sync was requested: Orders (Commerce).').waitFor()
    expect(problems).toEqual([])

    await click(window, 'Back')
    await waitForHeading(window, 'Connect an app')
    await window
      .getByRole('button', { name: /^Acme Sandbox · .+ Connected · [\d,]+ records$/ })
      .waitFor()
    await leave(page.keyboard.press('Escape'))
  })

  test('an account is connected again with new values, under its id', async () => {
    const response = await service.send(tenant.key, 'POST', '/2024-03/headless/credentials', {
      userId: tenant.userId,
      app: 'sandbox',
      credential: { tenant: 'acme', token: 'secret' },
    })
    const { credentialId } = response.json()
    await signIn()
    const result = call('authenticate')
    const window = await frame()
    await window.getByRole('button', { name: /^Acme Sandbox/ }).click()
    await click(window, 'Connect again')
    await waitForHeading(window, 'Connect Acme again')
    await window.getByLabel('Tenant').fill('acme')
    await window.getByLabel('Token').fill('not it')
    await click(window, 'Connect')
    await window.getByText('The app rejected these credentials.').waitFor()
    expect(problems.splice(0)).toEqual([expect.stringContaining('400')])
    await window.getByLabel('Token').fill('secret')
    await click(window, 'Connect')
    await window.getByText('Acme is connected again.').waitFor()
    expect(await result).toEqual({ success: true, credentialId })
    const stored = await service.database.prisma.credential.findMany({
      where: { userId: tenant.userId },
    })
    expect(stored.map(({ id }) => id)).toEqual([credentialId])
    expect(problems).toEqual([])
    await leave(page.keyboard.press('Escape'))
  })

  test('an account whose sync fails shows the start, the cause and the remedy, and the limit of resyncs', async () => {
    const url = await findUnusedAddress()
    await service.send(tenant.key, 'POST', '/2024-03/headless/credentials', {
      userId: tenant.userId,
      app: 'vendure',
      credential: { url, apiKey: 'k' },
    })
    await signIn()
    void call('authenticate')
    const window = await frame()
    await window
      .getByRole('button', { name: /^Vendure Connected .+ Sync failing: nothing/ })
      .click()
    await waitForHeading(window, 'Vendure')
    await window
      .getByRole('status')
      .getByText(/^Sync failing since /)
      .waitFor()
    await window.getByText(/^Reason: nothing answers at .+: connection refused/).waitFor()
    await window.getByText('Check that the app is running').waitFor()
    await expectAccessible(window)
    await page.route('**/resync', (route) =>
      route.fulfill({ status: 429, json: { error: { code: 'RATE_LIMITED', message: 'Later.' } } }),
    )
    await click(window, 'Sync now: Vendure')
    await window.getByRole('alert').getByText('Too many attempts.').waitFor()
    await expectAccessible(window)
    expect(problems.splice(0)).toEqual([expect.stringContaining('429')])
    // A refresh that fails is reported until the next one succeeds.
    const alert = window.getByRole('alert')
    await page.route(/\/credentials\/[^/]+$/, (route) => route.abort(), { times: 1 })
    await alert.getByText('The service is unreachable.').waitFor()
    await alert.getByText('The service is unreachable.').waitFor({ state: 'detached' })
    expect(problems.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')])
    await leave(page.keyboard.press('Escape'))
  })

  test('a lost response does not create a second connection', async () => {
    await signIn()
    const result = call('authenticate', { app: 'sandbox' })
    const window = await frame()
    await window.getByLabel('Tenant').fill('acme')
    await window.getByLabel('Token').fill('secret')
    await page.route(
      '**/2024-03/headless/credentials',
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    await click(window, 'Connect')
    await window.getByText('The service is unreachable.').waitFor()
    await click(window, 'Connect')
    await waitForHeading(window, 'Sandbox is connected')
    expect(await result).toMatchObject({ success: true })
    const { credential } = service.database.prisma
    expect(await credential.count({ where: { userId: tenant.userId } })).toBe(1)
    // The page continues while the modal still shows the outcome.
    const next = call('authenticate', { app: 'vendure' })
    await expect.poll(() => window.isDetached()).toBe(true)
    await waitForHeading(await frame(), 'Connect Vendure')
    await leave(page.keyboard.press('Escape'))
    expect(await next).toEqual({ success: false })
  })

  test('shows the apps of a category, or the app that the page names', async () => {
    await signIn()
    void call('authenticate', { category: 'crm' })
    const window = await frame()
    await waitForHeading(window, 'Connect an app')
    expect(await window.getByRole('listitem').count()).toBe(countApps('crm'))
    await leave(page.keyboard.press('Escape'))
    void call('authenticate', { app: 'vendure' })
    await waitForHeading(await frame(), 'Connect Vendure')
    expect(await page.frames()[1]?.getByRole('button', { name: 'Back' }).count()).toBe(0)
  })

  test('connects the app and installs an integration, which can be disabled and enabled', async () => {
    const integration = await service.server.inject({
      method: 'PUT',
      url: '/2024-03/integrations',
      headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
      payload: {
        slug: 'orders',
        name: HOSTILE,
        app: 'sandbox',
        workflows: [{ slug: 'one', name: HOSTILE, definition: defineWorkflow(1) }],
      },
    })
    const { integrationId } = integration.json().integration
    await signIn()
    const result = call('install', { integrationId })
    const window = await frame()
    await waitForHeading(window, 'Connect Sandbox')
    await window.getByLabel('Tenant').fill('acme')
    await window.getByLabel('Token').fill('secret')
    await window.getByRole('button', { name: 'Connect', exact: true }).click()
    await waitForHeading(window, `Install ${HOSTILE}`)
    await window.getByRole('listitem').getByText(HOSTILE).waitFor()
    await expectAccessible(window)
    await click(window, 'Install')
    await waitForHeading(window, `${HOSTILE} is installed`)
    await expectAccessible(window)
    expect(await result).toEqual({ success: true, installationId: expect.any(String) })
    await leave(click(window, 'Done'))

    // Installed again with another connection of its app: connections of other apps stay selected.
    const send = async (url: string, body: object) =>
      (await service.send(tenant.key, 'POST', `/2024-03/headless/${url}`, body)).json()
    const { userId } = tenant
    const connect = async (app: string, credential: object): Promise<string> =>
      (await send('credentials', { userId, app, credential })).credentialId
    const vendure = await connect('vendure', { url: 'http://127.0.0.1:1', apiKey: 'k' })
    const { installation } = service.database.prisma
    const first = await installation.findFirstOrThrow({ where: { integrationId, userId } })
    const credentialIds = [...first.credentialIds, vendure]
    await send('startInstallation', { userId, integrationId, credentialIds })
    const newest = await connect('sandbox', { tenant: 'acme', token: 'secret' })
    void call('install', { integrationId })
    const again = await frame()
    await click(again, 'Install again')
    await waitForHeading(again, `${HOSTILE} is installed`)
    const second = await installation.findUniqueOrThrow({ where: { id: first.id } })
    expect(second.credentialIds.toSorted()).toEqual([vendure, newest].toSorted())
    await leave(click(again, 'Done'))

    const listIntegrations = () => run('Trunkline.getIntegrations()')
    const expectedState = { installed: true, workflows: [{ name: HOSTILE, active: true }] }
    expect(await listIntegrations()).toMatchObject([
      { integrationId, name: HOSTILE, ...expectedState },
    ])
    for (const [method, active] of [
      ['deactivate', false],
      ['reactivate', true],
    ] as const) {
      await run(`Trunkline.${method}({ integrationId: '${integrationId}' })`)
      expect(await listIntegrations()).toMatchObject([{ workflows: [{ active }] }])
    }
    expect(problems).toEqual([])
  })

  test('a modal that is closed without an outcome reports failure and restores the focus', async () => {
    await signIn()
    await page.getByRole('button', { name: 'Apps' }).focus()
    for (const close of [
      () => page.keyboard.press('Escape'),
      async () => click(await frame(), 'Close'),
      () => page.mouse.click(5, 5),
    ]) {
      const result = call('authenticate')
      await waitForHeading(await frame(), 'Connect an app')
      await leave(close())
      expect(await result).toEqual({ success: false })
      expect(await run('document.activeElement.textContent')).toBe('Apps')
    }
  })

  test('uses the language of the option, the page or the browser, and the appearance of the product', async () => {
    const other = await product.visit({ width: 360, colorScheme: 'dark', locale: 'pt-PT' })
    await other.signIn()
    const open = async (script: string, title: string): Promise<Frame> => {
      await other.run(`void (${script}, Trunkline.authenticate())`)
      const window = await other.frame()
      await waitForHeading(window, title)
      return window
    }
    await open('0', 'Conectar um aplicativo')
    await other.waitUntilClosed(other.page.keyboard.press('Escape'))
    await open("document.documentElement.lang = 'fr-CA'", 'Connecter une application')
    await other.waitUntilClosed(other.page.keyboard.press('Escape'))

    await other.page.route('**/2024-03/metadata/credentials', async (route) => {
      const response = await route.fetch()
      const { data } = await response.json()
      const shop = data.find(({ app }: { app: string }) => app === 'vendure')
      const more = ['Zürich Ledger', 'Till', 'Tally'].map((name) => ({ ...shop, name }))
      await route.fulfill({ response, json: { data: [...data, ...more] } })
    })
    const logoUrl = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' />"
    const options = { locale: 'de', appearance: { name: HOSTILE, logoUrl, color: '#0a3' } }
    const window = await open(`Trunkline.configure(${JSON.stringify(options)})`, 'App verbinden')
    expect(await (await window.frameElement()).getAttribute('title')).toBe('App verbinden')
    expect(await window.evaluate('document.documentElement.lang')).toBe('de')
    await window.getByText(HOSTILE).waitFor()
    expect(await window.locator('header img').getAttribute('src')).toBe(logoUrl)
    await expectAccessible(window)
    const search = window.getByLabel('Apps suchen')
    await search.fill('zurich')
    await window.getByRole('status').getByText('1 App', { exact: true }).waitFor()
    expect(await window.getByRole('listitem').count()).toBe(1)
    await search.fill('')
    await window.getByLabel('Kategorie').selectOption('CRM')
    await window.getByText(`${countApps('crm')} Apps`, { exact: true }).waitFor()
    await window.getByRole('button', { name: 'Sandbox' }).click()
    await waitForHeading(window, 'Sandbox verbinden')
    await window.getByRole('heading', { name: `Worauf ${HOSTILE} zugreift` }).waitFor()
    await window.getByText('Alle anzeigen').click()
    await window.getByText(/^Lesen und ändern: Artikel, Ausgangsrechnungen, /).waitFor()
    await expectAccessible(window)
    const button = window.getByRole('button', { name: 'Verbinden', exact: true })
    expect(
      await button.evaluate((element) => {
        const { backgroundColor, color } = getComputedStyle(element)
        return [backgroundColor, color]
      }),
    ).toEqual(['rgb(0, 170, 51)', 'rgb(0, 0, 0)'])
    const refusal =
      "Trunkline.configure({ appearance: { color: 'red' } }).catch(({ code }) => code)"
    expect(await other.run(refusal)).toBe('INVALID_OPTION')
    expect(other.problems).toEqual([])
    await other.page.close()
  })

  test('requires the token of an end user and reports an ended session', async () => {
    const codeOf = (script: string) => run(`${script}.catch(({ code }) => code)`)
    expect(await codeOf('Trunkline.authenticate()')).toBe('NO_TOKEN')
    expect(await codeOf('Trunkline.getIntegrations()')).toBe('NO_TOKEN')
    expect(await codeOf(`Trunkline.setToken('${tenant.key}')`)).toBe('NO_TOKEN')
    await signIn()
    void call('authenticate')
    const window = await frame()
    await waitForHeading(window, 'Connect an app')
    expect(await codeOf('Trunkline.authenticate()')).toBe('WINDOW_OPEN')
    await leave(page.keyboard.press('Escape'))
    await service.database.prisma.endUser.delete({ where: { id: tenant.userId } })
    void call('authenticate')
    const ended = await frame()
    await ended.getByText('Your session has ended.').waitFor()
    await expectAccessible(ended)
  })

  test('shows nothing to a page that sends no token or an unknown message', async () => {
    await run(`{
      const frame = document.createElement('iframe')
      frame.src = '${address}/connect'
      frame.onload = () => {
        frame.contentWindow.postMessage({ trunkline: 'open' }, '*')
        frame.contentWindow.postMessage(null, '*', [new MessageChannel().port2])
        frame.contentWindow.postMessage(
          { trunkline: 'open', token: 'a.b.c', task: { kind: 'authenticate' } }, '*',
          [new MessageChannel().port2],
        )
      }
      document.body.append(frame)
    }`)
    const window = await frame()
    await window.getByText('setToken expects the token of an end user').waitFor()
    expect(await window.getByRole('listitem').count()).toBe(0)
  })
})
