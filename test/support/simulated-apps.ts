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

/** The actions of an app's users on the records of one topic: customers or contacts. */
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

/** The delay of each app, by its clock, between a change and its webhook. */
export const WEBHOOK_DELAY_MS = 10_000

/** A simulated app with one account that has records. */
export interface SimulatedApp {
  readonly simulator: ListeningSimulator
  /** The connector with its addresses on the simulator. */
  readonly connector: Connector
  /** The account's name on the consent page. */
  readonly account: string
  /** The label of the method to sign in with; undefined: the app has only one. */
  readonly method: string | undefined
  /** What the end user enters before the consent page opens, by label. */
  readonly fields: Readonly<Record<string, string>>
  readonly records: AppRecords
}

interface Options {
  readonly client: OAuthClient
  /** How many records of each main type the account has. */
  readonly count: number
}

type Settings = Pick<SimulatedApp, 'connector' | 'account' | 'method' | 'fields'> &
  Pick<AppRecords, 'topic' | 'nameField'>

/** The parts that differ between the apps. `A` is the type of the simulator's controls of one account. */
interface AppDefinition<S extends ListeningSimulator, A> extends Settings {
  start(client: OAuthClient): Promise<S>
  addAccount(simulator: S, name: string): A
  /** The simulator's name of the type of record. */
  readonly type: string
  nameOf(record: Values): unknown
  rename(account: A, remoteId: string, name: string): void
}

type Account = { readonly id: string; addSamples(count: number): void }

const startApp =
  <S extends ListeningSimulator, A extends Account>(app: AppDefinition<S, A>) =>
  async ({ client, count }: Options): Promise<SimulatedApp> => {
    const simulator = await app.start(client)
    const account = app.addAccount(simulator, app.account)
    account.addSamples(count)
    const store = simulator.accounts.find(account.id)?.store
    return {
      simulator,
      connector: connectorAt(app.connector, simulator.url),
      account: app.account,
      method: app.method,
      fields: app.fields,
      records: {
        topic: app.topic,
        nameField: app.nameField,
        ids: () => store?.list(app.type).map(({ id }) => id) ?? [],
        nameOf: (id) => String(app.nameOf(valuesOf(store?.find(app.type, id)?.value))),
        rename: (id, name) => app.rename(account, id, name),
      },
    }
  }

/** Points a second of the plan Plus. On Standard, fulfillments of 1,000 orders take some minutes. */
const PLUS_POINTS = 1000

export const simulatedApps = {
  hubspot: startApp({
    connector: hubspot,
    account: 'Acme Leads',
    method: 'Sign in with HubSpot',
    fields: {},
    start: (client) => hubspotSimulator.start({ clients: [client] }),
    addAccount: (simulator, name) => simulator.addPortal('4711', name),
    type: 'contacts',
    topic: 'crm/contacts',
    nameField: 'lastName',
    nameOf: ({ properties }) => valuesOf(properties).lastname,
    rename: (portal, id, lastname) => void portal.update('contacts', id, { lastname }),
  }),
  quickbooks: startApp({
    connector: quickbooks,
    account: 'Acme Lamps',
    method: 'Sign in with QuickBooks',
    fields: {},
    start: (client) => quickbooksSimulator.start({ clients: [client] }),
    addAccount: (simulator, name) => simulator.addCompany('4620816365', name),
    type: 'Customer',
    topic: 'accounting/customers',
    nameField: 'customerName',
    nameOf: ({ DisplayName }) => DisplayName,
    rename: (company, id, DisplayName) => void company.update('Customer', id, { DisplayName }),
  }),
  shopify: startApp({
    connector: shopify,
    account: 'Acme Lamps',
    method: undefined,
    fields: { Shop: 'acme-lamps' },
    start: (client) => shopifySimulator.start({ clients: [client], restoreRate: PLUS_POINTS }),
    addAccount: (simulator, name) => simulator.addShop('acme-lamps.myshopify.com', name),
    type: 'Customer',
    topic: 'commerce/customers',
    nameField: 'lastName',
    nameOf: ({ lastName }) => lastName,
    rename: (shop, id, lastName) => shop.updateCustomer({ id, lastName }),
  }),
}
