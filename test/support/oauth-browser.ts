/** A browser that goes through an authorization: it keeps cookies and follows no redirect by itself. */
import type { LightMyRequestResponse } from 'fastify'
import type { TestService } from './service.ts'

/** What the user of the sandbox enters on its page. */
export interface SandboxForm {
  readonly companies?: string
  readonly token?: string
  readonly decision?: 'allow' | 'deny'
}

export interface Browser {
  readonly cookies: ReadonlyMap<string, string>
  /** Requests a URL of the service. */
  get(url: string): Promise<LightMyRequestResponse>
  /** Opens the URL of an authorization. @returns the URL of the app's page */
  open(url: string): Promise<URL>
  /** Submits the page of the sandbox at this URL. @returns the URL of the callback */
  submit(page: URL, form?: SandboxForm): Promise<URL>
}

const pathOf = (url: string | URL): string => {
  const { pathname, search } = new URL(url)
  return pathname + search
}

const requireLocation = ({ statusCode, headers, body }: LightMyRequestResponse): URL => {
  if (typeof headers.location !== 'string') throw new Error(`${statusCode} ${body}`)
  return new URL(headers.location)
}

export const openBrowser = ({ server }: Pick<TestService, 'server'>): Browser => {
  const cookies = new Map<string, string>()
  const send = async (method: 'GET' | 'POST', url: string, payload?: string) => {
    const response = await server.inject({
      method,
      url,
      headers: {
        cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
        ...(payload !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(payload !== undefined && { payload }),
    })
    for (const { name, value } of response.cookies)
      value === '' ? cookies.delete(name) : cookies.set(name, value)
    return response
  }
  return {
    cookies,
    get: (url) => send('GET', pathOf(url)),
    open: async (url) => requireLocation(await send('GET', pathOf(url))),
    submit: async (page, form = {}) => {
      const entered = { companies: 'acme', token: 'open-sesame', decision: 'allow', ...form }
      const payload = new URLSearchParams(entered).toString()
      return requireLocation(await send('POST', pathOf(page), payload))
    },
  }
}
