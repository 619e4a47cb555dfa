/** The service with the Shopify connector, connected by OAuth to a shop of the simulator. */
import { setTimeout } from 'node:timers/promises'
import pino from 'pino'
import { expect } from 'vitest'
import { connector } from '../../../src/connectors/shopify/manifest.ts'
import { AppRateLimitedError } from '../../../src/outbound/app-error.ts'
import { createSync } from '../../../src/sync/schedule.ts'
import { type ShopControls, start } from '../../simulators/shopify/start.ts'
import { connectorAt } from '../../support/at-simulator.ts'
import { freePort } from '../../support/free-port.ts'
import { callOver } from '../../support/operations.ts'
import { startService } from '../../support/service.ts'
import { testVault } from '../../support/vault.ts'
import { connectByConsent } from '../consent.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests know the fields of the responses
export type Loose = any

export const SHOP = 'harbour-light.myshopify.com'
export const client = { clientId: 'ours', clientSecret: 'client-secret-0123456789' }
const staff = { clientId: 'staff', clientSecret: 'staff-secret-0123456789' }

/** Sends a document to the shop as its own staff. @throws Error with the errors of the response */
export type SendToShop = (query: string, variables?: object) => Promise<Loose>

/** Starts everything and stores the first sync. `prepare` fills the shop before it is connected. */
export const openHarness = async (
  prepare: (
    shop: ShopControls,
    send: SendToShop,
    clock: { advance(ms: number): void },
  ) => Promise<void>,
) => {
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  const clients = [client, staff].map((registered) => ({
    ...registered,
    redirectUris: [`${publicUrl}/oauth/callback`],
  }))
  // The plan with the most points a second: with those of the smallest plan, the tests take minutes longer.
  const app = await start({ clients, restoreRate: 2000 })
  const shop = app.addShop(SHOP, 'Harbour Light')

  // The staff have points of their own.
  const sendToShop: SendToShop = async (query, variables = {}) => {
    const { accessToken } = app.oauth.issue(SHOP, { clientId: staff.clientId })
    const response = await fetch(`${app.url}/${SHOP}/admin/api/2026-07/graphql.json`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-shopify-access-token': accessToken },
      body: JSON.stringify({ query, variables }),
    })
    const { data, errors }: Loose = await response.json()
    const payloads: readonly Loose[] = Object.values(data ?? {})
    const problems = errors ?? payloads.flatMap((payload) => payload?.userErrors ?? [])
    if (problems.length > 0) throw new Error(JSON.stringify(problems))
    return data
  }
  await prepare(shop, sendToShop, app.clock)

  const connectors = new Map([['shopify', connectorAt(connector, app.url)]])
  const service = await startService({ connectors, allowPrivateAddresses: true, publicUrl })
  const tenant = await service.createTenant('development', [])
  await callOver(service, 'REST')(tenant.key, 'setOAuthClient', { app: 'shopify', ...client })

  const connect = (name: string): Promise<string> =>
    connectByConsent(service, tenant, { app: 'shopify', credential: { shop: name }, publicUrl })
  const credentialId = await connect('https://Harbour-Light.myshopify.com/')

  const openSync = () =>
    createSync({
      database: service.database,
      connectors,
      vault: testVault,
      appClient: service.runtime.appClient,
      log: pino({ level: 'silent' }),
    })
  let sync = openSync()

  /** Syncs everything, again until the budget has allowed all of it. */
  const syncToEnd = async (id = credentialId): Promise<void> => {
    for (let tries = 1; ; tries += 1)
      try {
        return await sync.syncNow(id)
      } catch (error) {
        const failures = error instanceof AggregateError ? error.errors : [error]
        const isLimited = failures.every((failure) => failure instanceof AppRateLimitedError)
        if (tries >= 30 || !isLimited) throw error
        await setTimeout(1000)
      }
  }
  await syncToEnd()

  return {
    app,
    shop,
    service,
    tenant,
    port,
    publicUrl,
    credentialId,
    sendToShop,
    connect,
    syncToEnd,
    /** Continues with a new sync engine, as another process does. */
    restartSync: async (): Promise<void> => {
      await sync.stop()
      sync = openSync()
    },
    list: async (topic: string, id = credentialId): Promise<Loose[]> => {
      const path = `/commerce/${topic}?credentialId=${id}&pageSize=100`
      const response = await service.rest(tenant.key, path)
      expect(response.statusCode).toBe(200)
      return response.json()[topic]
    },
    /** One record, which may be deleted in the app; undefined if it is not stored. */
    find: async (topic: string, remoteId: string, id = credentialId): Promise<Loose> => {
      const path = `/commerce/${topic}/${encodeURIComponent(remoteId)}?credentialId=${id}`
      const response = await service.rest(tenant.key, path)
      return response.statusCode === 200 ? response.json()[topic.slice(0, -1)] : undefined
    },
    write: async (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) => {
      const url = `/2024-03/one/commerce/${path}?credentialId=${credentialId}`
      const response = await service.send(tenant.key, method, url, body)
      return { status: response.statusCode, body: response.json() as Loose }
    },
    stop: async (): Promise<void> => {
      await sync.stop()
      await service.stop()
      await app.stop()
    },
  }
}

export type Harness = Awaited<ReturnType<typeof openHarness>>
