/** The requests that the app client logs: which requests, without secrets, and up to which length. */
import { afterEach, describe, expect, test } from 'vitest'
import {
  defineConnector,
  type ResourceConnector,
  type Steps,
} from '../../src/definition/connector.ts'
import { readAccountName } from '../../src/outbound/account-name.ts'
import { createPageFetcher } from '../../src/outbound/fetch-pages.ts'
import { type AppClient, createAppClient } from '../../src/outbound/http.ts'
import type { LoggedRequest, LoggedRequests } from '../../src/outbound/log-request.ts'
import { malformedResponse } from '../../src/outbound/malformed-response.ts'
import { runSteps } from '../../src/write/run-steps.ts'

const ORIGIN = 'http://app.test'
const SECRET = 'secret/+value'

const connector = defineConnector({
  app: 'test',
  name: 'Test',
  doc: 'A test.',
  auth: {
    key: {
      type: 'apiKey',
      fields: { key: { doc: 'Key.', secret: true } },
      baseUrl: ORIGIN,
      request: { headers: { authorization: 'Bearer {key}' }, query: { token: '{key}' } },
    },
  },
  readFailure: () => undefined,
  check: { method: 'GET', path: '/check' },
  resources: {},
})

let client: AppClient
let logged: LoggedRequest[]
afterEach(() => client.stop())

const open = (
  respond: (request: Request) => Promise<Response> | Response,
  requests: LoggedRequests,
) => {
  logged = []
  client = createAppClient({
    allowPrivateAddresses: false,
    localApps: new Map([[ORIGIN, async (request) => respond(request)]]),
    requestLog: { requests, onRequest: (request) => void logged.push(request) },
    maxRetries: 1,
    firstPauseMs: 1,
    maxPauseMs: 1,
    deadlineMs: 100,
    breakAfter: 3,
  })
}

const credential = { id: 'one', method: null, values: { key: SECRET } }
const use = { environmentId: 'environment', credentialId: 'one', purpose: 'changes' } as const

const send = (path = '/items', body?: string) =>
  client
    .spending(use)
    .send(
      connector,
      credential,
      body === undefined ? { method: 'GET', path } : { method: 'POST', path, body: { body } },
    )
    .catch((error: unknown) => error)

describe('failures', () => {
  test('are logged with each attempt, its status and its reason', async () => {
    open(() => new Response('<html>', { status: 502 }), 'failures')
    await send('/items?since=1')
    expect(logged).toEqual(
      [1, 2].map(() => ({
        credentialId: 'one',
        purpose: 'changes',
        method: 'GET',
        path: '/items?since=1',
        status: 502,
        tookMs: expect.any(Number),
        error: 'APP_UNAVAILABLE: it answered 502',
        requestBody: null,
        responseBody: '<html>',
      })),
    )
  })

  test('without a response have no status', async () => {
    open(() => new Promise(() => {}), 'failures')
    await send('/items', 'text')
    expect(logged).toMatchObject([{ method: 'POST', status: null, responseBody: null }])
    expect(logged[0]?.error).toContain('no complete response within 100 ms')
  })

  test('show no secret, wherever the app repeats it', async () => {
    open(
      async (request) =>
        Response.json(
          {
            url: request.url,
            sent: request.headers.get('authorization'),
            body: await request.text(),
          },
          { status: 400 },
        ),
      'failures',
    )
    await send(`/items?q=${encodeURIComponent(SECRET)}`, `with ${SECRET}`)
    expect(logged).toHaveLength(1)
    const text = JSON.stringify(logged)
    expect(text).not.toContain(SECRET)
    expect(text).not.toContain(encodeURIComponent(SECRET))
    expect(logged[0]).toMatchObject({
      path: '/items?q=[redacted]',
      requestBody: '{"body":"with [redacted]"}',
      responseBody: expect.stringContaining('"sent":"[redacted] [redacted]"'),
    })
  })

  test('are cut', async () => {
    // The cut is in the middle of a character of two code units, and of a secret.
    open(
      () => new Response(`${'x'.repeat(1999)}😀${'y'.repeat(99_999)}\0`, { status: 500 }),
      'failures',
    )
    await send(`/${'p'.repeat(2000)}`, 'z'.repeat(5000))
    expect(logged).toHaveLength(1)
    expect(logged[0]?.path).toHaveLength(1000)
    expect(logged[0]?.requestBody).toHaveLength(2000)
    expect(logged[0]?.responseBody?.slice(0, 1999)).toBe('x'.repeat(1999))
    expect(logged[0]?.responseBody?.length).toBeLessThanOrEqual(2000)
  })

  test('of the passthrough are logged, although it returns them', async () => {
    open(() => Response.json({ reason: 'no' }, { status: 404 }), 'failures')
    await client.pass(connector, credential, { method: 'GET', path: '/nothing' })
    expect(logged).toMatchObject([{ purpose: null, status: 404, error: 'it answered 404' }])
  })

  test('of a login are logged without their bodies', async () => {
    open(() => Response.json({ token: 'new' }, { status: 400 }), 'failures')
    const login = { method: 'POST', path: '/login', body: { password: 'other' } } as const
    const signal = new AbortController().signal
    await client.login(connector, credential, login, signal).catch(() => {})
    expect(logged).toMatchObject([{ path: '/login', requestBody: null, responseBody: null }])
  })
})

describe('a response that the connector cannot read', () => {
  const BODY = { shape: SECRET, rest: 'x'.repeat(3000) }
  const entry = (reason: string) => ({
    credentialId: 'one',
    purpose: 'changes',
    method: 'GET',
    path: '/items',
    status: 200,
    tookMs: expect.any(Number),
    error: `APP_UNAVAILABLE: ${reason}`,
    requestBody: null,
    responseBody: JSON.stringify({ ...BODY, shape: '[redacted]' }).slice(0, 2000),
  })
  const unreadable = (): never => {
    throw new TypeError('The response has no items.')
  }
  const request = { method: 'GET', path: '/items' } as const

  test('is logged as a failed request by the steps that read it', async () => {
    open(() => Response.json(BODY), 'failures')
    function* steps(): Steps<string> {
      yield request
      return unreadable()
    }
    const spending = client.spending(use)
    const outcome = await runSteps(connector, steps(), (sent) =>
      spending.send(connector, credential, sent),
    )
    expect(outcome).toMatchObject({ status: 'refused', error: { problem: 'malformed' } })
    expect(logged).toEqual([entry('the response does not have the expected form')])
  })

  test('is logged as a failed request by a listing, also if it was requested early', async () => {
    open(() => Response.json(BODY), 'failures')
    const resource = { listRequest: () => request, readList: unreadable }
    const listing = {
      appClient: client.spending(use),
      connector,
      // Only these two functions are called.
      resource: resource as unknown as ResourceConnector,
      credential,
      since: undefined,
      context: undefined,
      pagesAtOnce: 2,
    }
    const fetcher = createPageFetcher(listing, new AbortController().signal)
    const page = fetcher.fetch('second', fetcher.prefetch(['second'], new Map()))
    await expect(page).rejects.toMatchObject({ problem: 'malformed' })
    expect(logged).toEqual([entry('the response is not a page of records')])
  })

  test('is logged as a failed request by the check of a credential', async () => {
    open(() => Response.json(BODY), 'failures')
    const naming = { ...connector, readAccountName: unreadable }
    const name = readAccountName(client, naming, credential, new AbortController().signal)
    await expect(name).rejects.toMatchObject({ code: 'APP_UNAVAILABLE', problem: 'malformed' })
    const reason = 'the response does not have the expected form'
    expect(logged).toEqual([{ ...entry(reason), purpose: null, path: '/check' }])
  })

  test('is logged a second time if successful requests are logged too', async () => {
    open(() => Response.json(BODY), 'all')
    const response = await client.spending(use).send(connector, credential, request)
    expect(malformedResponse(connector, { request, response }, 'why').message).toContain('why')
    expect(logged).toEqual([{ ...entry(''), error: null }, entry('why')])
  })
})

test('requests that were not sent, were aborted, or have no stored credential are not logged', async () => {
  open(
    (request) =>
      request.url.includes('hang') ? new Promise(() => {}) : new Response('', { status: 500 }),
    'failures',
  )
  const leaving = new AbortController()
  const aborted = client.send(
    connector,
    credential,
    { method: 'GET', path: '/hang' },
    leaving.signal,
  )
  leaving.abort()
  await aborted.catch(() => {})
  await client
    .send(connector, { method: null, values: { key: SECRET } }, { method: 'POST', path: '/new' })
    .catch(() => {})
  expect(logged).toEqual([])
  // After three failures, the fourth request is not sent.
  for (let sent = 0; sent < 4; sent++) await send('/items', 'text')
  expect(logged).toHaveLength(2)
})

test.each([
  ['failures', 0],
  ['all', 1],
] as const)('with %s, %i successful requests are logged', async (requests, count) => {
  open(() => Response.json([]), requests)
  await send()
  expect(logged).toHaveLength(count)
  for (const request of logged)
    expect(request).toMatchObject({ status: 200, error: null, responseBody: '[]' })
})
