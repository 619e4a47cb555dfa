/**
 * The conformance suite against simulators with their own limits and an index that lags, on the clock of the
 * simulator, so that waits end immediately.
 */
import { expect, test } from 'vitest'
import { connectors } from '../../src/generated/registry.ts'
import { withEnteredToken } from '../../tools/app-kit/check/entered-token.ts'
import { FAULT_CASES } from '../../tools/app-kit/check/faults.ts'
import { reportTable } from '../../tools/app-kit/check/result.ts'
import { checkApp } from '../../tools/app-kit/check/run.ts'
import { openWorkbench } from '../../tools/app-kit/check/workbench.ts'
import type { WriteInputs } from '../../tools/app-kit/check/writes.ts'
import { type ListeningSimulator, listen } from '../simulators/engine/listen.ts'
import { createHubSpot } from '../simulators/hubspot/start.ts'
import { createQuickBooks } from '../simulators/quickbooks/start.ts'
import { createShopify } from '../simulators/shopify/start.ts'
import { connectorAt } from '../support/at-simulator.ts'
import { createTestDatabase } from '../support/database.ts'
import { addFullRecords } from './hubspot/full-records.ts'

/** An account of a simulator, and what to check with it. */
interface OpenedApp {
  readonly app: ListeningSimulator
  readonly account: string
  readonly values: Readonly<Record<string, string>>
  readonly writes: Readonly<Record<string, WriteInputs>>
}

const HOUR_MS = 3_600_000
const SEARCH_LAG_MS = 6_000

const openQuickBooks = async (): Promise<OpenedApp> => {
  const simulator = createQuickBooks()
  const company = simulator.addCompany('4620816365', 'Acme Lamps')
  company.addSamples(3)
  simulator.clock.advance(HOUR_MS)
  return {
    app: await listen(simulator),
    account: company.id,
    values: { realmId: company.id },
    writes: {
      'accounting/customers': {
        create: { customerName: 'Check {n}' },
        update: { email: 'check@example.org' },
      },
    },
  }
}

const openHubSpot = async (): Promise<OpenedApp> => {
  const simulator = createHubSpot({ searchLagMs: SEARCH_LAG_MS })
  const portal = simulator.addPortal('62515', 'Acme', { additionalCurrencies: ['EUR'] })
  addFullRecords(portal)
  portal.addSamples(3)
  simulator.clock.advance(HOUR_MS)
  const emailAddresses = [{ emailAddressType: 'PRIMARY', emailAddress: 'check-{n}@example.org' }]
  return {
    app: await listen(simulator),
    account: portal.id,
    values: { portalId: portal.id },
    writes: {
      'crm/accounts': { create: { accountName: 'Check {n}' }, update: { industry: 'RETAIL' } },
      'crm/contacts': {
        create: { lastName: 'Check', emailAddresses },
        update: { firstName: 'Ada' },
      },
    },
  }
}

const openShopify = async (): Promise<OpenedApp> => {
  const simulator = createShopify()
  const shop = simulator.addShop('conformance.myshopify.com', 'Conformance', {
    searchLagMs: SEARCH_LAG_MS,
  })
  shop.addSamples(21)
  simulator.clock.advance(HOUR_MS)
  const variants = [{ price: '1.00', sku: 'C-{n}' }]
  const lineItems = [{ title: 'Nail {n}', price: '0.10', quantity: 3 }]
  return {
    app: await listen(simulator),
    account: shop.id,
    values: { shop: 'conformance' },
    writes: {
      'commerce/customers': {
        create: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada-{n}@example.org' },
        update: { firstName: 'Augusta' },
      },
      'commerce/products': {
        create: { productName: 'Check {n}', productStatus: 'DRAFT', variants },
        update: { vendor: 'Lux' },
      },
      'commerce/orders': {
        create: { orderNumber: 'N-{n}', lineItems },
        update: { remoteFields: { note: 'Ring twice' } },
      },
    },
  }
}

// Those that the limits of an app lengthen, and two that depend on the connector.
const FAULTS = [
  ...['429 with Retry-After', '429 from the second request on'],
  ...['pages that repeat for ever', 'a token that expires in the middle'],
]

test.each([
  ['quickbooks', openQuickBooks],
  ['hubspot', openHubSpot],
  ['shopify', openShopify],
])('%s conforms', async (name, openScene) => {
  const { app, account, values, writes } = await openScene()
  await using _ = app
  const declared = connectors.get(name)
  if (!declared) throw new Error(`There is no connector ${name}.`)
  const { accessToken } = app.oauth.issue(account)
  const database = await createTestDatabase()
  let waitedMs = 0
  const bench = await openWorkbench(database.url, {
    connector: withEnteredToken(connectorAt(declared, app.url), 'oauth'),
    values: { ...values, accessToken },
    deadlineMs: 500,
    clock: {
      nowMs: app.clock.steadyMs,
      wait: async (ms) => {
        waitedMs += ms
        app.clock.advance(ms)
      },
    },
  })
  try {
    const faults = FAULT_CASES.filter(({ name: faultName }) => FAULTS.includes(faultName))
    const results = await checkApp(bench, { faults, writes })
    const failed = results.filter(({ outcome }) => outcome === 'failed')
    expect(failed, reportTable(results)).toEqual([])
    expect(results.filter(({ check }) => check === 'delete')).toHaveLength(
      Object.keys(writes).length,
    )
    expect(waitedMs).toBeGreaterThan(20_000)
  } finally {
    await bench.stop()
    await database.drop()
  }
})
