/** The apps that cannot run here, each with a simulator, and one kind of its records that a test changes. */
import { connector as hubspot } from '../../src/connectors/hubspot/manifest.ts'
import { connector as quickbooks } from '../../src/connectors/quickbooks/manifest.ts'
import { connector as shopify } from '../../src/connectors/shopify/manifest.ts'
import type { Connector } from '../../src/definition/connector.ts'
import { type Values, valuesOf } from '../../src/definition/raw-values.ts'
import type { ListeningSimulator } from '../simulators/engine/listen.ts'
import type { OAuthClient } from '../simulators/engine/oauth/policy.ts'
import * as hubspotSimulator from '../simulators/hubspot/start.ts'
import * as quickbooksSimulator from '../simulators/quickbooks/start.ts'
import * as shopifySimulator from '../simulators/shopify/start.ts'
import { connectorAt } from './at-simulator.ts'

/** What users of the app do with the records of one topic: customers or contacts. */
export interface AppRecords {
  readonly topic: string
  /** The field of the unified record that `rename` changes. */
  readonly nameField: string
  /** The remote ids of all records, in the order of their creation. */
  ids(): readonly string[]
  /** The name as the app has it. */
  nameOf(remoteId: string): string
  rename(remoteId: string, name: string): void
}

/** An app of the tests with one account that has records. */
export interface SimulatedApp {
  readonly simulator: ListeningSimulator
  /** The connector with its addresses on the simulator. */
  readonly connector: Connector
  /** The account's name on the consent page. */
  readonly account: string
  /** The way to sign in, by its label; undefined: the only one. */
  readonly method: string | undefined
  /** What the end user enters before, by label. */
  readonly fields: Readonly<Record<string, string>>
  /** How long the app waits, by its clock, until it sends the webhook of a change. */
  readonly webhookDelayMs: number
  readonly records: AppRecords
}

interface Options {
  readonly client: OAuthClient
  /** How many records of each main type the account has. */
  readonly count: number
}

/** The stored records of a type. */
const storeOf = ({ accounts }: ListeningSimulator, account: string, type: string) => {
  const store = accounts.find(account)?.store
  return {
    ids: (): readonly string[] => store?.list(type).map(({ id }) => id) ?? [],
    find: (id: string): Values => valuesOf(store?.find(type, id)?.value),
  }
}

const startQuickbooks = async ({ client, count }: Options): Promise<SimulatedApp> => {
  const simulator = await quickbooksSimulator.start({ clients: [client] })
  const company = simulator.addCompany('4620816365', 'Acme Lamps')
  company.addSamples(count)
  const { ids, find } = storeOf(simulator, company.id, 'Customer')
  return {
    simulator,
    connector: connectorAt(quickbooks, simulator.url),
    account: 'Acme Lamps',
    method: 'Sign in with QuickBooks',
    fields: {},
    webhookDelayMs: 10_000,
    records: {
      topic: 'accounting/customers',
      nameField: 'customerName',
      ids,
      nameOf: (id) => String(find(id).DisplayName),
      rename: (id, DisplayName) => void company.update('Customer', id, { DisplayName }),
    },
  }
}

const startHubspot = async ({ client, count }: Options): Promise<SimulatedApp> => {
  const simulator = await hubspotSimulator.start({ clients: [client] })
  const portal = simulator.addPortal('4711', 'Acme Leads')
  portal.addSamples(count)
  const { ids, find } = storeOf(simulator, portal.id, 'contacts')
  return {
    simulator,
    connector: connectorAt(hubspot, simulator.url),
    account: 'Acme Leads',
    method: 'Sign in with HubSpot',
    fields: {},
    webhookDelayMs: 10_000,
    records: {
      topic: 'crm/contacts',
      nameField: 'lastName',
      ids,
      nameOf: (id) => String(valuesOf(find(id).properties).lastname),
      rename: (id, lastname) => void portal.update('contacts', id, { lastname }),
    },
  }
}

/** Points a second of the plan Plus. On Standard, fulfillments of 1,000 orders take some minutes. */
const PLUS_POINTS = 1000

const startShopify = async ({ client, count }: Options): Promise<SimulatedApp> => {
  const simulator = await shopifySimulator.start({ clients: [client], restoreRate: PLUS_POINTS })
  const shop = simulator.addShop('acme-lamps.myshopify.com', 'Acme Lamps')
  shop.addSamples(count)
  const { ids, find } = storeOf(simulator, shop.id, 'Customer')
  return {
    simulator,
    connector: connectorAt(shopify, simulator.url),
    account: 'Acme Lamps',
    method: undefined,
    fields: { Shop: 'acme-lamps' },
    webhookDelayMs: 10_000,
    records: {
      topic: 'commerce/customers',
      nameField: 'lastName',
      ids,
      nameOf: (id) => String(find(id).lastName),
      rename: (id, lastName) => shop.updateCustomer({ id, lastName }),
    },
  }
}

export const simulatedApps = {
  hubspot: startHubspot,
  quickbooks: startQuickbooks,
  shopify: startShopify,
}
