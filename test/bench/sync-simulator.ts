/**
 * A simulator of an app with many records and without limits, in its own process. It sends its account once it
 * listens, and replies to each message with the requests since the last one. Env: APP, RECORDS.
 */
import type { ListeningSimulator } from '../simulators/engine/listen.ts'
import { start as startHubspot } from '../simulators/hubspot/start.ts'
import { start as startQuickbooks } from '../simulators/quickbooks/start.ts'
import type { StartOptions } from '../simulators/serve.ts'
import { start as startShopify } from '../simulators/shopify/start.ts'
import type { AppName } from './result.ts'

/** A request as the simulator received it. */
export interface SimulatorRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** An account of the app, with the values of a credential for it. */
export interface SimulatorAccount {
  readonly app: AppName
  readonly origin: string
  readonly values: Readonly<Record<string, string>>
}

interface Profile {
  start(options: StartOptions): Promise<ListeningSimulator>
  /** Records per sample, which has one record of each main type. */
  readonly recordsPerSample: number
  /** The values that an authorization returns. */
  values(accountId: string): Readonly<Record<string, string>>
}

const PROFILES: Readonly<Record<AppName, Profile>> = {
  quickbooks: {
    start: startQuickbooks,
    // Customer, vendor, item, invoice and bill; half of the invoices and a third of the bills are paid.
    recordsPerSample: 5 + 1 / 2 + 1 / 3,
    values: (realmId) => ({ realmId }),
  },
  hubspot: {
    start: startHubspot,
    // Company, contact, deal, lead, note and task.
    recordsPerSample: 6,
    values: (portalId) => ({ portalId }),
  },
  shopify: {
    start: startShopify,
    // Customer, product and order; half of the orders are fulfilled.
    recordsPerSample: 3 + 1 / 2,
    values: (domain) => ({ shop: domain.replace('.myshopify.com', '') }),
  },
}

// Set by the benchmark.
const app = process.env.APP as AppName
const profile = PROFILES[app]
const simulator = await profile.start({
  records: Math.ceil(Number(process.env.RECORDS) / profile.recordsPerSample),
  limited: false,
})
const [account] = simulator.accounts.list()
if (!account) throw new Error(`The simulator of ${app} has no account.`)
const { accessToken } = simulator.oauth.issue(account.id)

process.on('message', () => {
  const failed = simulator.journal.entries.find(({ status = 0 }) => status < 200 || status > 299)
  if (failed) throw new Error(`${failed.method} ${failed.url} returned ${failed.status}.`)
  const requests = simulator.journal.entries.map(
    ({ method, url, headers, body }): SimulatorRequest => ({ method, path: url, headers, body }),
  )
  simulator.journal.clear()
  process.send?.(requests)
})
process.on('disconnect', () => process.exit())
process.send?.({
  ...{ app, origin: simulator.url },
  values: { ...profile.values(account.id), accessToken },
} satisfies SimulatorAccount)
