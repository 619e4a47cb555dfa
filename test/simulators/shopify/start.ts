/** A Shopify simulator with its controls. */
import { randomUUID } from 'node:crypto'
import type { Account } from '../engine/accounts.ts'
import { type ListeningSimulator, listen } from '../engine/listen.ts'
import { createSimulator, type Simulator } from '../engine/simulator.ts'
import type { StartOptions } from '../serve.ts'
import { type CustomerInput, createCustomer, deleteCustomer, updateCustomer } from './customers.ts'
import { cancelFulfillment, createFulfillment } from './fulfillments.ts'
import {
  type CancelArguments,
  cancelOrder,
  createOrder,
  deleteOrder,
  type OrderInput,
  updateOrder,
} from './order-writes.ts'
import { createProduct, deleteProduct, type ProductInput, updateProduct } from './product-writes.ts'
import { createProfile, isShopDomain } from './profile.ts'
import { addSampleRecords } from './sample-records.ts'
import { openShop, type Shop, type ShopSettings } from './shop.ts'

/** A shop as its own staff see it: their changes need no token and cost nothing. Ids are global ids. */
export interface ShopControls {
  /** `acme.myshopify.com` */
  readonly id: string
  createCustomer(input: CustomerInput): string
  updateCustomer(input: CustomerInput): void
  deleteCustomer(id: string): void
  /** A product with one variant for the first value of each option. */
  createProduct(input: ProductInput): string
  updateProduct(input: ProductInput): void
  deleteProduct(id: string): void
  createOrder(input: OrderInput): string
  updateOrder(input: Parameters<typeof updateOrder>[0]): void
  cancelOrder(args: CancelArguments): void
  deleteOrder(id: string): void
  /** Fulfills all that remains of an order. */
  fulfill(
    orderId: string,
    tracking?: { readonly company?: string; readonly number?: string },
  ): string
  cancelFulfillment(id: string): void
  /** The merchant uninstalls the app: its tokens end. */
  uninstall(): void
  /** Adds `count` customers, products and orders each. */
  addSamples(count: number): void
}

export interface Shopify {
  /** @throws if the id is not like `acme.myshopify.com` */
  addShop(id: string, name: string, settings?: Partial<ShopSettings>): ShopControls
}

export interface ShopifyStartOptions extends StartOptions {
  /** Points a second. Default: 100, as on the plan Standard. */
  readonly restoreRate?: number
}

const SETTINGS: ShopSettings = {
  currencyCode: 'USD',
  ianaTimezone: 'America/Phoenix',
  timezoneOffsetMinutes: -420,
  searchLagMs: 0,
  jobMs: 1000,
  maxListed: 25_000,
}

const fulfillAll = (
  shop: Shop,
  orderId: string,
  tracking: { readonly company?: string; readonly number?: string } = {},
): string => {
  const fulfillmentOrders = shop.FulfillmentOrder.list().filter(
    ({ value }) => value.orderId === orderId && ['OPEN', 'IN_PROGRESS'].includes(value.status),
  )
  const lineItemsByFulfillmentOrder = fulfillmentOrders.map(({ id }) => ({
    fulfillmentOrderId: id,
  }))
  return createFulfillment({ lineItemsByFulfillmentOrder, trackingInfo: tracking }, shop).id
}

const controlsOf = (shop: Shop, { oauth }: Simulator): ShopControls => {
  const { id, store } = shop.account
  const { transaction } = store
  return {
    id,
    createCustomer: (input) => transaction(() => createCustomer(input, shop).id),
    updateCustomer: (input) => void transaction(() => updateCustomer(input, shop)),
    deleteCustomer: (customerId) => void transaction(() => deleteCustomer(customerId, shop)),
    createProduct: (input) => transaction(() => createProduct(input, shop).id),
    updateProduct: (input) => void transaction(() => updateProduct(input, shop)),
    deleteProduct: (productId) => void transaction(() => deleteProduct(productId, shop)),
    createOrder: (input) => transaction(() => createOrder(input, shop, { takesStock: true }).id),
    updateOrder: (input) => void transaction(() => updateOrder(input, shop)),
    cancelOrder: (args) => void cancelOrder(args, shop),
    deleteOrder: (orderId) => void transaction(() => deleteOrder(orderId, shop)),
    fulfill: (orderId, tracking) => transaction(() => fulfillAll(shop, orderId, tracking)),
    cancelFulfillment: (fulfillmentId) =>
      void transaction(() => cancelFulfillment(fulfillmentId, shop)),
    uninstall: () => {
      store.insert('Installation', randomUUID(), {}, 'uninstalled')
      oauth.revokeGrants(id)
    },
    addSamples: (count) => addSampleRecords(count, shop),
  }
}

/** A simulator without a socket and without shops. */
export const createShopify = ({
  restoreRate = 100,
  ...options
}: ShopifyStartOptions = {}): Simulator & Shopify => {
  const shops = new Map<string, Shop>()
  const shopOf = ({ id }: Account): Shop => {
    const shop = shops.get(id)
    if (!shop) throw new Error(`Add the shop ${id} with addShop`)
    return shop
  }
  const { limited = true } = options
  const profile = createProfile({ shopOf, simulator: () => simulator, limited, restoreRate })
  const simulator: Simulator = createSimulator(profile, options)

  const addShop: Shopify['addShop'] = (id, name, settings = {}) => {
    if (!isShopDomain(id)) throw new Error(`${id} is not like acme.myshopify.com`)
    const account = simulator.accounts.add(id, name)
    const shop = openShop(account, simulator.clock, { ...SETTINGS, ...settings })
    shops.set(id, shop)
    return controlsOf(shop, simulator)
  }
  /** Jobs that are done in the meantime can have webhooks. */
  const deliver: Simulator['webhooks']['deliver'] = () => {
    for (const shop of shops.values()) shop.runDue()
    return simulator.webhooks.deliver()
  }
  return { ...simulator, webhooks: { ...simulator.webhooks, deliver }, addShop }
}

const DAY_MS = 86_400_000

/** Starts a simulator with one shop, `acme.myshopify.com`, which has existed for a day. */
export const start = async (
  options: ShopifyStartOptions = {},
): Promise<ListeningSimulator & Shopify> => {
  const simulator = createShopify(options)
  simulator.clock.advance(-DAY_MS)
  const shop = simulator.addShop('acme.myshopify.com', 'Acme')
  shop.addSamples(options.records ?? 0)
  simulator.clock.advance(DAY_MS)
  return { ...(await listen(simulator, options)), addShop: simulator.addShop }
}
