/**
 * The Connect modal connects the sandbox by OAuth, with its authorization server in a window of a real browser.
 */
import type { Frame, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SANDBOX_CLIENT } from '../../src/sandbox/oauth/endpoints.ts'
import { browserMissing } from '../support/browser.ts'
import {
  type ConnectHarness,
  click,
  expectAccessible,
  startConnectHarness,
  type Visit,
  waitForHeading,
} from '../support/connect-harness.ts'

const missing = browserMissing()
if (missing !== undefined) console.warn(missing)

describe.skipIf(missing !== undefined)('connecting by OAuth', () => {
  let product: ConnectHarness
  let visit: Visit

  beforeAll(async () => {
    product = await startConnectHarness()
  })
  afterAll(() => product.stop())
  beforeEach(async () => {
    visit = await product.visit({ width: 360, colorScheme: 'dark' })
    await visit.signIn()
  })
  afterEach(() => visit.page.close())

  const send = (method: 'GET' | 'PUT' | 'POST', path: string, body?: object) =>
    product.service.send(visit.tenant.key, method, path, body)
  const configureClient = async (): Promise<void> => {
    const response = await send('PUT', '/2024-03/oauth-clients/sandbox', SANDBOX_CLIENT)
    expect(response.statusCode).toBe(200)
  }
  const listCredentials = async () =>
    (await send('GET', `/2024-03/users/${visit.tenant.userId}/credentials`)).json().data

  /** Opens the modal at the screen that explains the authorization. */
  const openMethod = async (): Promise<{ readonly window: Frame; readonly result: unknown }> => {
    const result = visit.call('authenticate', { app: 'sandbox' })
    const window = await visit.frame()
    await window.getByRole('button', { name: 'Sign in to the sandbox' }).click()
    await window.getByText('A window opens in which you sign in to Sandbox').waitFor()
    return { window, result }
  }
  /** The window that a click opens. */
  const popupOf = async (clicked: Promise<void>): Promise<Page> => {
    const [popup] = await Promise.all([visit.page.waitForEvent('popup'), clicked])
    await popup.getByRole('button', { name: 'Allow' }).waitFor()
    return popup
  }
  const allow = async (popup: Page, companies: string): Promise<void> => {
    await popup.getByRole('textbox', { name: /^Company/ }).fill(companies)
    await popup.getByRole('button', { name: 'Allow' }).click()
  }

  test('the end user chooses one of several accounts, reconnects it later and disconnects it', async () => {
    await configureClient()
    const { window, result } = await openMethod()
    await expectAccessible(window)
    // Opened by keyboard.
    await window.getByRole('button', { name: 'Continue to Sandbox' }).focus()
    const popup = await popupOf(visit.page.keyboard.press('Enter'))
    expect(await popup.evaluate('opener')).toBeNull()
    await window.getByText('allow the access in the window that has opened').waitFor()
    await expectAccessible(window)
    const closed = popup.waitForEvent('close')
    await allow(popup, 'alder, birch')
    await closed
    await waitForHeading(window, 'Choose an account')
    await expectAccessible(window)
    await window.getByRole('button', { name: 'Birch' }).click()
    await waitForHeading(window, 'Sandbox is connected')
    await expectAccessible(window)
    const [first] = await listCredentials()
    expect(first).toMatchObject({ label: 'Birch', type: 'oauth2' })
    expect(await result).toEqual({ success: true, credentialId: first.credentialId })
    await visit.waitUntilClosed(click(window, 'Done'))

    void visit.call('authenticate')
    const account = await visit.frame()
    await account.getByRole('button', { name: /^Birch Sandbox/ }).click()
    await click(account, 'Connect again')
    await waitForHeading(account, 'Connect Birch again')
    await expectAccessible(account)
    const second = await popupOf(click(account, 'Continue to Sandbox'))
    await allow(second, 'birch')
    await account.getByText('Birch is connected again.').waitFor()
    expect(
      (await listCredentials()).map((credential: typeof first) => credential.credentialId),
    ).toEqual([first.credentialId])
    await click(account, 'Disconnect')
    await waitForHeading(account, 'Disconnect Birch?')
    await expectAccessible(account)
    await click(account, 'Cancel')
    await waitForHeading(account, 'Birch')
    await click(account, 'Disconnect')
    await waitForHeading(account, 'Disconnect Birch?')
    await click(account, 'Disconnect')
    await account.getByText('Birch is disconnected.').waitFor()
    await expectAccessible(account)
    expect(await listCredentials()).toEqual([])
    expect(visit.problems).toEqual([])
  })

  test('the end user can retry after a denied, closed or blocked window and after an expired authorization', async () => {
    await configureClient()
    const { window, result } = await openMethod()
    const denying = await popupOf(click(window, 'Continue to Sandbox'))
    await denying.getByRole('button', { name: 'Deny' }).click()
    await waitForHeading(window, 'Sandbox is not connected')
    await window.getByRole('alert').getByText('The access was denied in Sandbox.').waitFor()
    await expectAccessible(window)

    await click(window, 'Try again')
    const closing = await popupOf(click(window, 'Continue to Sandbox'))
    await closing.close()
    await window.getByText('The window seems to be closed.').waitFor()
    await expectAccessible(window)
    const reopened = await popupOf(click(window, 'Open the window again'))
    // The button Back cancels the authorization and closes the window.
    const cancelled = reopened.waitForEvent('close')
    await click(window, 'Back')
    await cancelled

    await visit.page.route(
      '**/headless/authorizations/*',
      async (route) => {
        const response = await route.fetch()
        const { authorization } = await response.json()
        await route.fulfill({
          response,
          json: { authorization: { ...authorization, state: 'expired' } },
        })
      },
      { times: 1 },
    )
    await popupOf(click(window, 'Continue to Sandbox'))
    await window.getByText('took too long. Start again.').waitFor()

    await click(window, 'Try again')
    await window.evaluate('window.open = () => null')
    await click(window, 'Continue to Sandbox')
    const link = window.getByRole('link', { name: 'Open Sandbox in a new tab' })
    await link.waitFor()
    await expectAccessible(window)
    const [tab] = await Promise.all([visit.page.context().waitForEvent('page'), link.click()])
    await window.getByRole('button', { name: 'Open the window again' }).waitFor()
    await allow(tab, 'cedar')
    await waitForHeading(window, 'Sandbox is connected')
    expect(await result).toMatchObject({ success: true })
    expect(await listCredentials()).toMatchObject([{ label: 'Cedar' }])
    expect(visit.problems).toEqual([])
  })

  test('the modal learns the outcome although the window has no connection to its opener', async () => {
    await configureClient()
    const { window } = await openMethod()
    await visit.page.context().route('**/oauth/start/*', async (route) => {
      const response = await route.fetch({ maxRedirects: 0 })
      const headers = { ...response.headers(), 'cross-origin-opener-policy': 'same-origin' }
      await route.fulfill({ response, headers })
    })
    const popup = await popupOf(click(window, 'Continue to Sandbox'))
    await window.getByText('The window seems to be closed.').waitFor()
    await allow(popup, 'dogwood')
    await waitForHeading(window, 'Sandbox is connected')
  })

  test('without an OAuth client the method is not offered, and a message for developers says why', async () => {
    void visit.call('authenticate', { app: 'sandbox' })
    const window = await visit.frame()
    await window.getByLabel('Tenant').waitFor()
    await window.getByText('“Sign in to the sandbox” is not offered').waitFor()
    expect(await window.getByRole('button', { name: 'Sign in to the sandbox' }).count()).toBe(0)
    await expectAccessible(window)
  })
})
