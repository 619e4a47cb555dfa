/** The page of an integrator's product, of another origin and with a strict policy, which opens the Connect modal. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Frame, Page } from 'playwright-core'
import { expect } from 'vitest'
import { createSandboxApp } from '../../src/sandbox/app.ts'
import { findViolations } from './axe.ts'
import { openBrowser } from './browser.ts'
import { type ServerOptions, startService, type Tenant, type TestService } from './service.ts'

/** A service with a sandbox company `acme`, and a browser. */
export interface ConnectHarness {
  readonly service: TestService
  /** The origin of the service. */
  readonly address: string
  readonly browser: Browser
  /** Opens the page for a new end user. */
  visit(options?: VisitOptions): Promise<Visit>
  stop(): Promise<void>
}

export interface VisitOptions {
  readonly width?: number
  readonly colorScheme?: 'light' | 'dark'
  /** The language of the browser. */
  readonly locale?: string
}

/** The visit of one end user. */
export interface Visit {
  readonly tenant: Tenant
  readonly page: Page
  /** Errors of the console, uncaught errors and dialogs. */
  readonly problems: string[]
  /** Runs a script in the page. */
  run(script: string): Promise<unknown>
  signIn(): Promise<void>
  /** Calls a method of the SDK. @returns the argument of its callback */
  call(method: string, options?: object): Promise<unknown>
  /** The modal's frame, once it exists. */
  frame(): Promise<Frame>
  /** Waits until the modal is closed. The browser may never confirm input to a frame that closes because of it. */
  waitUntilClosed(input: Promise<void>): Promise<void>
}

/** Clicks the button with exactly this name. */
export const click = (modal: Frame, name: string): Promise<void> =>
  modal.getByRole('button', { name, exact: true }).click()

/** Waits for a heading. */
export const waitForHeading = (modal: Frame, name: string): Promise<void> =>
  modal.getByRole('heading', { name }).waitFor()

/** Expects that axe finds nothing in the modal, and that its frame has a title. */
export const expectAccessible = async (modal: Frame): Promise<void> => {
  expect(await findViolations(modal)).toEqual([])
  expect(await (await modal.frameElement()).getAttribute('title')).toMatch(/\w/)
}

/** Starts the product. With `publicUrl`, the service listens there. */
export const startConnectHarness = async (options: ServerOptions = {}): Promise<ConnectHarness> => {
  const service = await startService({ allowPrivateAddresses: true, ...options })
  await createSandboxApp(service).openTenant('acme', { token: 'secret' })
  const port = options.publicUrl === undefined ? 0 : Number(new URL(options.publicUrl).port)
  const address = await service.server.listen({ port, host: '127.0.0.1' })
  const integratorServer = createServer((_request, response) => {
    // The strictest policy of a page that uses the hosted script.
    response.setHeader(
      'content-security-policy',
      `default-src 'none'; script-src ${address}; connect-src ${address}; frame-src ${address}`,
    )
    response.setHeader('content-type', 'text/html')
    response.end(
      `<!doctype html><title>A product</title><button>Apps</button><script src="${address}/sdk.js"></script>`,
    )
  })
  await new Promise<void>((resolve) => integratorServer.listen(0, '127.0.0.1', resolve))
  const { port: sitePort } = integratorServer.address() as AddressInfo
  const browser = await openBrowser()
  let visits = 0

  const visit = async ({ width = 1280, ...options }: VisitOptions = {}): Promise<Visit> => {
    visits += 1
    const tenant = await service.createTenant('development', [], `Round ${visits}`)
    const page = await browser.newPage({ viewport: { width, height: 720 }, ...options })
    const problems: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text())
    })
    page.on('pageerror', ({ message }) => void problems.push(message))
    page.on('dialog', (dialog) => {
      problems.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    await page.goto(`http://127.0.0.1:${sitePort}`)
    const run = (script: string): Promise<unknown> => page.evaluate(script)
    const waitForFrames = (count: number) =>
      expect.poll(() => page.frames().length, { timeout: 30_000 }).toBe(count)
    return {
      tenant,
      page,
      problems,
      run,
      signIn: async () => {
        const { token } = await service.tokens.issue(tenant)
        await run(`Trunkline.setToken('${token}')`)
      },
      call: (method, callOptions = {}) => {
        const result = run(`new Promise((callback) => {
          void Trunkline.${method}({ ...${JSON.stringify(callOptions)}, callback })
        })`)
        // If the test leaves the modal open, the call never settles.
        result.catch(() => {})
        return result
      },
      frame: async () => {
        await waitForFrames(2)
        return page.frames()[1] as Frame
      },
      waitUntilClosed: async (input) => {
        input.catch(() => {})
        await waitForFrames(1)
      },
    }
  }
  return {
    service,
    address,
    browser,
    visit,
    stop: async () => {
      await browser.close()
      integratorServer.close()
      await service.stop()
    },
  }
}
