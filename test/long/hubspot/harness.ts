/** The service with the HubSpot connector, connected by OAuth to a portal of the simulator. */
import pino from 'pino'
import { expect } from 'vitest'
import { connector } from '../../../src/connectors/hubspot/manifest.ts'
import type { Connector } from '../../../src/definition/connector.ts'
import { createSync } from '../../../src/sync/schedule.ts'
import { listen } from '../../simulators/engine/listen.ts'
import { createHubSpot, type PortalControls } from '../../simulators/hubspot/start.ts'
import { connectorAt } from '../../support/at-simulator.ts'
import { freePort } from '../../support/free-port.ts'
import { callOver, type Input, type Outcome } from '../../support/operations.ts'
import { startService } from '../../support/service.ts'
import { testVault } from '../../support/vault.ts'
import { connectByConsent } from '../consent.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests know the fields of the responses
export type Loose = any

export const PORTAL = '62515'
export const client = { clientId: 'ours', clientSecret: 'client-secret-0123456789' }

/** The cap of searches, which is 10,000 in HubSpot. */
export const MAX_SEARCH_RESULTS = 200

const DAY_MS = 86_400_000

/** The connector for a simulator at this URL, with limits that no test reaches. */
export const connectorWithoutLimits = (url: string): Connector => {
  const { limits } = connector
  if (!limits) throw new Error('The connector has no limits.')
  const windows = limits.windows?.map((limit) => ({ ...limit, max: limit.max * 1000 })) ?? []
  return { ...connectorAt(connector, url), limits: { ...limits, windows } }
}

/**
 * Starts the simulator and the service. `prepare` fills the portal, whose records are a day old when it is
 * connected.
 */
export const openHarness = async (prepare: (portal: PortalControls) => void) => {
  // The address of webhooks is part of their signature.
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  const redirectUris = [`${publicUrl}/oauth/callback`]
  const simulator = createHubSpot({
    clients: [{ ...client, redirectUris }],
    limited: false,
  })
  simulator.clock.advance(-DAY_MS)
  const portal = simulator.addPortal(PORTAL, 'Acme Gardens', {
    additionalCurrencies: ['EUR'],
    maxSearchResults: MAX_SEARCH_RESULTS,
  })
  prepare(portal)
  simulator.clock.advance(DAY_MS)
  const app = { ...(await listen(simulator)), addPortal: simulator.addPortal }

  const connectors = new Map([['hubspot', connectorWithoutLimits(app.url)]])
  const service = await startService({
    connectors,
    publicUrl,
    allowPrivateAddresses: true,
  })
  const tenant = await service.createTenant('development', [])
  const callRest = callOver(service, 'REST')
  const call = (operation: string, input: Input): Promise<Outcome> =>
    callRest(tenant.key, operation, input)
  await call('setOAuthClient', { app: 'hubspot', ...client })

  const { database, runtime } = service
  const sync = createSync({
    database,
    connectors,
    vault: testVault,
    appClient: runtime.appClient,
    log: pino({ level: 'silent' }),
  })

  /** Connects a portal through the consent page. @returns the credential */
  const connect = (account: string): Promise<string> =>
    connectByConsent(service, tenant, { app: 'hubspot', account, publicUrl })
  const credentialId = await connect(PORTAL)

  const syncNow = (id = credentialId): Promise<void> => sync.syncNow(id)

  const list = async (topic: string, id = credentialId): Promise<Loose[]> => {
    const found: Loose[] = []
    for (let cursor: unknown = ''; cursor !== undefined; ) {
      const query = `credentialId=${id}&pageSize=100${cursor ? `&cursor=${cursor}` : ''}`
      const response = await service.rest(tenant.key, `/crm/${topic}?${query}`)
      expect(response.statusCode, response.body).toBe(200)
      found.push(...response.json()[topic])
      cursor = response.headers['next-cursor']
    }
    return found
  }

  const write = async (
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: Loose }> => {
    const url = `/2024-03/one/crm/${path}?credentialId=${credentialId}`
    const response = await service.send(tenant.key, method, url, body)
    return { status: response.statusCode, body: response.json() }
  }

  return {
    app,
    publicUrl,
    port,
    portal,
    service,
    tenant,
    connectors,
    credentialId,
    call,
    connect,
    syncNow,
    list,
    write,
    sync,
    find: async (topic: string, remoteId: string): Promise<Loose> =>
      (await list(topic)).find((record) => record.remoteId === remoteId),
    stop: async (): Promise<void> => {
      await sync.stop()
      await service.stop()
      await app.stop()
    },
  }
}

export type Harness = Awaited<ReturnType<typeof openHarness>>
