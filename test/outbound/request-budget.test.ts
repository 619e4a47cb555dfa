/** The budget of a request: when it is sent, when it waits, and what the response changes. */
import { expect, test } from 'vitest'
import { type AppResponse, defineConnector } from '../../src/definition/connector.ts'
import type {
  CountedRequest,
  RequestLedger,
  SpentWindow,
  WindowCorrection,
} from '../../src/definition/counted-limits.ts'
import type { RequestLimits, RequestPurpose } from '../../src/definition/request-limits.ts'
import { AppRateLimitedError } from '../../src/outbound/app-error.ts'
import { createAppClient } from '../../src/outbound/http.ts'

const ORIGIN = 'http://app.test'
const get = { method: 'GET', path: '/things' } as const
const credential = { method: null, values: {} }

const limits: RequestLimits = {
  windows: [
    { name: 'perDay', scope: 'credential', unit: 'requests', max: 100, per: 'day' },
    { name: 'points', scope: 'app', unit: 'points', max: 1000, per: 'minute' },
  ],
  cost: ({ body }) => Object(body).cost ?? 5,
  readUsage: ({ headers, body }) => ({
    cost: Object(body).cost,
    ...(headers['x-left'] && {
      limits: { perDay: { remaining: Number(headers['x-left']), resetMs: 60_000 } },
    }),
  }),
}

const defineLimitedConnector = (declared: RequestLimits | undefined) =>
  defineConnector({
    app: 'test',
    name: 'Test',
    doc: 'A test.',
    auth: { none: { type: 'apiKey', fields: {}, baseUrl: ORIGIN, request: {} } },
    readFailure: ({ body }: AppResponse) =>
      Object(body).throttled
        ? { kind: 'rate-limited', reason: 'throttled', retryAfterMs: 7000, limit: 'points' }
        : undefined,
    check: get,
    resources: {},
    ...(declared && { limits: declared }),
  })

interface Setup {
  /** The app declares no limits. */
  readonly unlimited?: true
  /** The waits that the ledger returns, one for each attempt; then 0. */
  readonly waits?: number[]
  readonly paused?: number[]
  readonly response?: () => Response
  readonly purpose?: RequestPurpose
}

const open = ({ unlimited, waits = [], paused = [], response, purpose = 'write' }: Setup) => {
  const observed = {
    spent: [] as CountedRequest[],
    corrections: [] as WindowCorrection[],
    settled: 0,
    pauses: [] as { key: string; ms: number }[],
    waited: [] as number[],
    sent: 0,
    refusals: [] as string[],
    left: [] as string[],
  }
  const ledger: RequestLedger = {
    pausedMs: () => paused.shift() ?? 0,
    spend: async (request) => {
      observed.spent.push(request)
      const waitMs = waits.shift() ?? 0
      const windows = request.limits.windows.map(
        (window): SpentWindow => ({ ...window, bucket: 1, total: 40, knownMax: window.max }),
      )
      return { waitMs, windows, holder: undefined }
    },
    settle: async (_request, _spent, corrections) => {
      observed.settled++
      observed.corrections.push(...corrections)
    },
    pause: async (key, ms) => void observed.pauses.push({ key, ms }),
  }
  const client = createAppClient({
    allowPrivateAddresses: false,
    maxRetries: 3,
    firstPauseMs: 1,
    maxPauseMs: 2,
    localApps: new Map([
      [
        ORIGIN,
        async () => {
          observed.sent++
          return response?.() ?? Response.json({})
        },
      ],
    ]),
    budgets: {
      ledger,
      wait: async (ms) => void observed.waited.push(ms),
      onBudget: (app, limit, left) => void observed.left.push(`${app} ${limit} ${left}`),
      onRefusal: (app, refused) => void observed.refusals.push(`${app} ${refused}`),
    },
  })
  const use = { environmentId: 'env', credentialId: 'one', purpose }
  return {
    observed,
    client: client.spending(use),
    unbound: client,
    connector: defineLimitedConnector(unlimited ? undefined : limits),
  }
}

const failureOf = async (response: Promise<unknown>): Promise<AppRateLimitedError> => {
  const error = await response.then(() => undefined).catch((thrown: unknown) => thrown)
  if (!(error instanceof AppRateLimitedError)) throw new Error('expected a rate limit')
  return error
}

test('a request is counted with its cost, which a response with the same cost does not change', async () => {
  const { observed, client, connector } = open({})
  await client.send(connector, credential, { ...get, method: 'POST', body: { cost: 12 } })
  expect(observed.spent.map(({ points, purpose }) => [points, purpose])).toEqual([[12, 'write']])
  expect([observed.sent, observed.settled]).toEqual([1, 0])
  expect(observed.left).toEqual(['test perDay 0.6', 'test points 0.96'])
})

test('requests without a credential, and those of apps without limits, are not counted', async () => {
  const { observed, client, unbound, connector } = open({})
  await unbound.check(connector, credential, new AbortController().signal)
  await client.send(defineLimitedConnector(undefined), credential, get)
  expect([observed.sent, observed.spent.length, observed.settled]).toEqual([2, 0, 0])
})

test.each<[string, Setup, number[], number | undefined]>([
  ['a write waits up to 5 s in all', { waits: [3000, 2000] }, [3000, 2000], undefined],
  ['a write does not wait longer', { waits: [3000, 2001] }, [3000], 2001],
  ['a read waits up to 2 s', { purpose: 'changes', waits: [2000] }, [2000], undefined],
  [
    'a read waits again, after others that wait for the same limit',
    { purpose: 'history', waits: [1100, 1100, 1100] },
    [1100, 1100, 1100],
    undefined,
  ],
  [
    'a read waits up to 10 s in all',
    { purpose: 'history', waits: [2000, 2000, 2000, 2000, 2000, 1] },
    [2000, 2000, 2000, 2000, 2000],
    1,
  ],
  ['a read does not wait longer', { purpose: 'history', waits: [90_000] }, [], 90_000],
  ['a pause counts as well', { paused: [8_000], unlimited: true }, [], 8_000],
  ['a short pause passes', { paused: [500, 0], purpose: 'webhook' }, [500], undefined],
])('a request waits for the budget: %s', async (_name, setup, waited, retryAfterMs) => {
  const { observed, client, connector } = open(setup)
  const response = client.send(connector, credential, get)
  if (retryAfterMs === undefined) await response
  else {
    const { isSent, reason, ...error } = await failureOf(response)
    expect([error.retryAfterMs, isSent]).toEqual([retryAfterMs, false])
    expect(reason).toBe(
      `its request budget allows the next request in ${Math.ceil(retryAfterMs / 1000)} s`,
    )
    expect(observed.refusals).toEqual([`test ${setup.purpose ?? 'write'}`])
  }
  expect([observed.waited, observed.sent]).toEqual([waited, retryAfterMs === undefined ? 1 : 0])
})

test('a request that was counted before another one was limited waits, and is counted again', async () => {
  const { observed, client, connector } = open({ paused: [0, 700, 700, 0] })
  await client.send(connector, credential, get)
  expect([observed.waited, observed.sent, observed.spent.length]).toEqual([[700], 1, 2])
  const returned = observed.corrections.map(({ window, extraCost }) => [window.name, extraCost])
  expect(returned).toEqual([
    ['perDay', -1],
    ['points', -5],
  ])
})

const limitedResponse = (headers: Record<string, string>) => () =>
  Response.json({}, { status: 429, headers })
const pauseCases: [string, Setup, { key: string; ms: number }][] = [
  [
    'with Retry-After',
    { response: limitedResponse({ 'retry-after': '30' }) },
    { key: 'credential/one', ms: 30_000 },
  ],
  [
    'at most for a day',
    { response: limitedResponse({ 'retry-after': '999999' }) },
    { key: 'credential/one', ms: 86_400_000 },
  ],
  [
    'without Retry-After, of an app with limits',
    { response: limitedResponse({}) },
    { key: 'credential/one', ms: 60_000 },
  ],
  [
    'without Retry-After, of an app without limits',
    { response: limitedResponse({}), unlimited: true },
    { key: 'credential/one', ms: 1_000 },
  ],
  [
    'that the connector reads from a 200 and names',
    { response: () => Response.json({ throttled: true }) },
    { key: 'app/env/test', ms: 7_000 },
  ],
]
test.each(pauseCases)('a rate limit pauses its scope: %s', async (_name, setup, pause) => {
  const { observed, client, connector } = open(setup)
  await failureOf(client.send(connector, credential, { ...get, method: 'POST' }))
  expect(observed.pauses).toEqual([pause])
})

test.each<[RequestPurpose, number]>([
  ['changes', 2],
  ['write', 5],
])(
  'a read for %s is retried in place after a rate limit of up to %i s',
  async (purpose, maxWaitSeconds) => {
    const { observed, client, connector } = open({
      purpose,
      response: limitedResponse({ 'retry-after': String(maxWaitSeconds + 1) }),
    })
    await failureOf(client.send(connector, credential, get))
    expect(observed.sent).toBe(1)
    let responses = 0
    const passing = open({
      purpose,
      response: () =>
        responses++ === 0 ? limitedResponse({ 'retry-after': '0' })() : Response.json({}),
    })
    await passing.client.send(passing.connector, credential, get)
    expect(passing.observed.sent).toBe(2)
  },
)

test('the passthrough returns a rate limit unchanged, and pauses its scope', async () => {
  const { observed, client, connector } = open({
    response: limitedResponse({ 'retry-after': '2' }),
  })
  expect((await client.pass(connector, credential, get)).status).toBe(429)
  expect(observed.pauses).toEqual([{ key: 'credential/one', ms: 2_000 }])
})

const correctionCases: [string, () => Response, Record<string, unknown>[]][] = [
  [
    'what other programs have used',
    () => Response.json({}, { headers: { 'x-left': '10' } }),
    [{ name: 'perDay', extraCost: 0, used: 90, resetMs: 60_000 }],
  ],
  ['nothing if more is left', () => Response.json({}, { headers: { 'x-left': '90' } }), []],
  [
    'the real cost',
    () => Response.json({ cost: 3 }),
    [{ name: 'points', extraCost: -2, used: undefined, resetMs: undefined }],
  ],
  [
    'also after a failure',
    () => Response.json({}, { status: 404, headers: { 'x-left': '0' } }),
    [{ name: 'perDay', extraCost: 0, used: 100, resetMs: 60_000 }],
  ],
]
test.each(correctionCases)('a response corrects %s', async (_name, response, expected) => {
  const { observed, client, connector } = open({ response })
  await client.send(connector, credential, get).catch(() => {})
  const corrections = observed.corrections.map(
    ({ window: { name }, extraCost, used, resetMs }) => ({
      name,
      extraCost,
      used,
      resetMs,
    }),
  )
  expect(corrections).toEqual(expected)
})

test('each attempt of a read is counted, and one that was not sent is refunded', async () => {
  const { observed, client, connector } = open({
    response: () => new Response(null, { status: 503 }),
    purpose: 'changes',
  })
  await client.send(connector, credential, get).catch(() => {})
  expect([observed.sent, observed.spent.length, observed.settled]).toEqual([4, 4, 0])
  for (let index = 0; index < 2; index++)
    await client.send(connector, credential, get).catch(() => {})
  expect([observed.sent, observed.spent.length - observed.settled]).toEqual([10, 10])
  expect(observed.corrections.every(({ extraCost }) => extraCost < 0)).toBe(true)
})

test('a failure to correct the budget does not hide the response', async () => {
  const { client, connector, observed } = open({
    response: () => Response.json({ cost: 9, ok: true }),
  })
  const broken = createAppClient({
    allowPrivateAddresses: false,
    localApps: new Map([[ORIGIN, async () => Response.json({ cost: 9, ok: true })]]),
    budgets: {
      ledger: {
        pausedMs: () => 0,
        spend: async ({ limits: { windows } }) => ({
          waitMs: 0,
          windows: windows.map((window) => ({ ...window, bucket: 1, total: 1, knownMax: 10 })),
          holder: undefined,
        }),
        settle: () => Promise.reject(new Error('the database is gone')),
        pause: async () => {},
      },
    },
  })
  const use = { environmentId: 'env', credentialId: 'one', purpose: 'write' } as const
  expect((await broken.spending(use).send(connector, credential, get)).body).toMatchObject({
    ok: true,
  })
  await client.send(connector, credential, get)
  expect(observed.settled).toBe(1)
})
