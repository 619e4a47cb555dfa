/** A listening service with tenants, changing records and the official clients of both transports. */

import { createClient as createEventClient } from 'graphql-sse'
import { createClient as createSocketClient, type Client as SocketClient } from 'graphql-ws'
import { expect } from 'vitest'
import { WebSocket } from 'ws'
import type { RecordRow } from '../../src/definition/mapping.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { sampleRecord } from '../support/sample.ts'
import {
  type ServerOptions,
  startService,
  type Tenant,
  type TestService,
} from '../support/service.ts'

export const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
export const OTHER = 'bbbbbbbb-0000-4000-8000-000000000002'
export const accounts = catalogue.get('crm/accounts')
export const leads = catalogue.get('crm/leads')

export interface SubscriptionHarness {
  readonly service: TestService
  readonly tenant: Tenant
  /** `http://127.0.0.1:…/graphql` */
  readonly url: string
  /** Writes records of the first credential. */
  write(rows: readonly RecordRow[], resource?: Resource, credentialId?: string): Promise<void>
  stop(): Promise<void>
}

export const startSubscriptionHarness = async (
  options: ServerOptions = {},
): Promise<SubscriptionHarness> => {
  const service = await startService(options)
  const tenant = await service.createTenant('development', [CREDENTIAL, OTHER])
  const address = await service.server.listen({ port: 0, host: '127.0.0.1' })
  return {
    service,
    tenant,
    url: `${address}/graphql`,
    write: (rows, resource = accounts, credentialId = CREDENTIAL) =>
      service.save(tenant, credentialId, resource, rows),
    stop: () => service.stop(),
  }
}

/** Account number `n` of a credential, with its own website. */
export const account = (n: number, website = 'first', credentialId = CREDENTIAL): RecordRow => ({
  ...sampleRecord(credentialId, accounts, n),
  website,
})

export const transports = ['WebSocket', 'SSE'] as const
export type Transport = (typeof transports)[number]

/** One result of a subscription as the client receives it. */
export interface SubscriptionResult {
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape that it selects
  readonly data?: any
  readonly errors?: readonly {
    readonly message: string
    readonly extensions: { readonly code: string; readonly cursor?: string }
  }[]
}

export interface Subscribed {
  readonly received: SubscriptionResult[]
  /** Resolves when the subscription ends; rejects with the error that the client reports. */
  readonly ended: Promise<void>
  /** Resolves when that many results have arrived. */
  until(count: number): Promise<readonly SubscriptionResult[]>
  /** Ends the subscription and the client. */
  stop(): void
}

export interface SubscribeOptions {
  readonly url: string
  readonly key: string
  readonly query: string
  readonly variables?: Record<string, unknown>
  readonly operationName?: string
}

/** Collects the results of one subscription. */
const gather = (
  run: (sink: {
    next(received: SubscriptionResult): void
    error(error: unknown): void
    complete(): void
  }) => () => void,
): Subscribed => {
  const received: SubscriptionResult[] = []
  const end = Promise.withResolvers<void>()
  end.promise.catch(() => {})
  let waiting: { count: number; resolve: (received: readonly SubscriptionResult[]) => void }[] = []
  const stop = run({
    next: (result) => {
      received.push(result)
      for (const { count, resolve } of waiting) if (received.length >= count) resolve(received)
      waiting = waiting.filter(({ count }) => received.length < count)
    },
    error: end.reject,
    complete: end.resolve,
  })
  return {
    received,
    ended: end.promise,
    stop,
    until: (count) =>
      received.length >= count
        ? Promise.resolve(received)
        : Promise.race([
            new Promise<readonly SubscriptionResult[]>((resolve) =>
              waiting.push({ count, resolve }),
            ),
            end.promise.then(() => {
              throw new Error(
                `The subscription ended after ${received.length} of ${count} results.`,
              )
            }),
          ]),
  }
}

export const openSocketClient = (
  url: string,
  key: string,
  generateID?: () => string,
): SocketClient =>
  createSocketClient({
    ...(generateID && { generateID }),
    url: url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${key}` },
    retryAttempts: 0,
  })

export const subscribe = (
  transport: Transport,
  { url, key, query, variables = {}, operationName }: SubscribeOptions,
): Subscribed => {
  const payload = { query, variables, ...(operationName !== undefined && { operationName }) }
  if (transport === 'WebSocket') {
    const client = openSocketClient(url, key)
    return gather((sink) => {
      // The client's types know neither our codes nor our data.
      const unsubscribe = client.subscribe(payload, sink as never)
      return () => {
        unsubscribe()
        void client.dispose()
      }
    })
  }
  const client = createEventClient({
    url,
    headers: { authorization: `Bearer ${key}` },
    retryAttempts: 0,
  })
  return gather((sink) => {
    const unsubscribe = client.subscribe(payload, sink as never)
    return () => {
      unsubscribe()
      client.dispose()
    }
  })
}

/** Resolves when the process has this many followers of the log. */
export const untilFollowers = ({ service }: SubscriptionHarness, count: number): Promise<void> =>
  expect.poll(() => service.live.followers, { timeout: 30_000, interval: 5 }).toBe(count)

/** The website of the account in the result. */
export const websiteOf = ({ data }: SubscriptionResult): string => data.crmAccounts.record.website
