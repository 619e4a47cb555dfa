/** A client of a simulator without a socket. */
import type { SentReply } from './engine/responder.ts'
import type { Simulator } from './engine/simulator.ts'

export interface ClientRequest {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; a string as it is. */
  readonly body?: unknown
}

export interface ParsedReply extends SentReply {
  /** The parsed body, or its text if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any response
  readonly json: any
}

export type Client = (method: string, url: string, request?: ClientRequest) => Promise<ParsedReply>

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

/** Sends requests with this access token; undefined: without. */
export const createClient =
  (simulator: Pick<Simulator, 'respond'>, accessToken?: string): Client =>
  async (method, url, { headers = {}, body } = {}) => {
    const text =
      body === undefined || typeof body === 'string' ? (body ?? '') : JSON.stringify(body)
    const reply = await simulator.respond({
      method,
      url,
      headers: {
        ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: Buffer.from(text),
    })
    return { ...reply, json: parse(reply.body) }
  }
