/** A proxy in front of an app that makes requests fail as a table says. It runs in this process. */
import { setTimeout as wait } from 'node:timers/promises'
import type { LocalApp } from '../../../src/outbound/exchange.ts'
import type { CheckClock } from './waits.ts'

/** The fault of one request. */
export type Fault =
  /** The response has this status in place of the app's; the app does not receive the request. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds?: number }
  /** There is no response. */
  | { readonly kind: 'hang' }
  /** The connection breaks before the response. */
  | { readonly kind: 'reset' }
  /** The connection breaks within the body. */
  | { readonly kind: 'half' }
  /** The body ends too early, without an error. */
  | { readonly kind: 'cut' }
  /** The previous response to such a request, since the plan was replaced, is repeated. */
  | { readonly kind: 'repeat' }
  /** The `date` of the response is wrong. */
  | { readonly kind: 'clock'; readonly offsetMs: number }
  /** The app receives the request, and its response is lost. */
  | { readonly kind: 'lost' }

/** A request that the proxy has received. */
export interface ProxiedRequest {
  readonly method: string
  /** The path without the query. */
  readonly path: string
  /** 0: no response. */
  readonly status: number
}

/** A request before it is answered. */
interface ArrivedRequest {
  readonly method: string
  readonly path: string
  readonly parameters: URLSearchParams
  readonly body: string
}

/** Chooses the fault of a request; undefined: it passes. `index` counts the requests from 0. */
export type FaultPlan = (index: number, request: ArrivedRequest) => Fault | undefined

/** A proxy in front of an app. */
export interface FaultProxy {
  readonly handle: LocalApp
  /** Replaces the plan, and counts the requests from 0 again. */
  inject(plan: FaultPlan): void
  /** The requests since the plan was replaced. */
  readonly requests: readonly ProxiedRequest[]
  /** How many requests have arrived before the end of a Retry-After. */
  readonly early: number
}

interface UpstreamResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer>
}

// undici has decoded the body already.
const HOP_HEADERS = ['content-encoding', 'content-length', 'transfer-encoding', 'connection']

const readUpstreamResponse = async (response: Response): Promise<UpstreamResponse> => {
  const headers = new Headers(response.headers)
  for (const name of HOP_HEADERS) headers.delete(name)
  return { status: response.status, headers, body: new Uint8Array(await response.arrayBuffer()) }
}

const toResponse = ({ status, headers, body }: UpstreamResponse, end?: number): Response =>
  // These statuses have no body.
  new Response([204, 205, 304].includes(status) ? null : body.slice(0, end), { status, headers })

const connectionError = (): Error =>
  Object.assign(new TypeError('fetch failed'), { code: 'ECONNRESET' satisfies string })

/** The first half of the body, then an error. */
const breakOff = ({ status, headers, body }: UpstreamResponse): Response => {
  const half = body.slice(0, Math.floor(body.length / 2))
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      controller.enqueue(half)
      controller.error(connectionError())
    },
  })
  return new Response(stream, { status, headers })
}

const shiftDate = (response: UpstreamResponse, offsetMs: number): Response => {
  const dateMs = Date.parse(response.headers.get('date') ?? '') || Date.now()
  const headers = new Headers(response.headers)
  headers.set('date', new Date(dateMs + offsetMs).toUTCString())
  return toResponse({ ...response, headers })
}

/** The words of a statement in a query language, without the numbers and texts that pages differ in. */
const statementIn = (parameters: URLSearchParams): string | undefined =>
  [...parameters.values()]
    .find((value) => value.includes(' '))
    ?.replace(/'[^']*'/g, '')
    .replace(/\d+/g, '')

/**
 * The kind of a request, the same for all pages of a listing. Listings in GraphQL or another query language share a
 * path, so their query counts too.
 */
export const kindOf = ({ method, path, parameters, body }: ArrivedRequest): string =>
  `${method} ${path} ${statementIn(parameters)} ${queryOf(body)}`

/** The query of a GraphQL request; undefined for other requests. */
const queryOf = (body: string): unknown => {
  try {
    return Object(JSON.parse(body)).query
  } catch {
    return
  }
}

/** Whether a request may change the app. */
export const isWrite = ({ method, body }: ArrivedRequest): boolean => {
  const query = queryOf(body)
  return method !== 'GET' && (typeof query !== 'string' || /^\s*mutation/.test(query))
}

/** Creates a proxy that lets all requests pass. @param upstream the app; default: sent over the network */
export const createFaultProxy = (
  clock: CheckClock,
  upstream: LocalApp = (request) => fetch(request, { redirect: 'manual' }),
): FaultProxy => {
  let plan: FaultPlan = () => undefined
  let received = 0
  let early = 0
  let closedUntilMs = 0
  const requests: ProxiedRequest[] = []
  const previous = new Map<string, UpstreamResponse>()

  const respond = async (
    request: Request,
    arrived: ArrivedRequest,
    fault: Fault | undefined,
  ): Promise<Response> => {
    if (fault?.kind === 'hang') await wait(2 ** 31 - 1, undefined, { signal: request.signal })
    if (fault?.kind === 'reset') throw connectionError()
    if (fault?.kind === 'status') {
      const { status, retryAfterSeconds } = fault
      const headers = new Headers({ date: new Date().toUTCString() })
      if (retryAfterSeconds !== undefined) {
        headers.set('retry-after', String(retryAfterSeconds))
        closedUntilMs = clock.nowMs() + retryAfterSeconds * 1000
      }
      return Response.json({ error: { message: 'a fault of the check' } }, { status, headers })
    }
    const kind = kindOf(arrived)
    const before = previous.get(kind)
    if (fault?.kind === 'repeat' && before) return toResponse(before)
    const response = await readUpstreamResponse(await upstream(request))
    if (response.status === 200) previous.set(kind, response)
    if (fault?.kind === 'lost') throw connectionError()
    if (fault?.kind === 'half') return breakOff(response)
    if (fault?.kind === 'cut') return toResponse(response, Math.floor(response.body.length / 2))
    if (fault?.kind === 'clock') return shiftDate(response, fault.offsetMs)
    return toResponse(response)
  }

  return {
    handle: async (request) => {
      const { method, url } = request
      const { pathname: path, searchParams: parameters } = new URL(url)
      if (clock.nowMs() < closedUntilMs) early += 1
      const arrived = { method, path, parameters, body: await request.clone().text() }
      const fault = plan(received++, arrived)
      try {
        const response = await respond(request, arrived, fault)
        requests.push({ method, path, status: response.status })
        return response
      } catch (error) {
        requests.push({ method, path, status: 0 })
        throw error
      }
    },
    inject: (next) => {
      plan = next
      received = 0
      requests.length = 0
      previous.clear()
    },
    requests,
    get early() {
      return early
    },
  }
}
