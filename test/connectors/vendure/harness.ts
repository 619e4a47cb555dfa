/** A connected shop with some orders, and helpers for the live tests. */
import { expect } from 'vitest'
import { fillCart, placeOrder } from '../../apps/vendure/checkout.ts'
import { createCoupon, fulfillOrder } from '../../apps/vendure/orders.ts'
import { createCustomer, createProduct } from '../../apps/vendure/shop.ts'
import { vendureMissing } from '../../apps/vendure/start.ts'
import { type Order, readOrder } from '../../apps/vendure/state.ts'
import { connectVendure, type Shown } from './connection.ts'
import type { Expected, OrderStatuses } from './expected.ts'
import { createVendureState } from './vendure-state.ts'

/** The reason why the tests cannot run, in one line; undefined if they can. In CI they must. */
export const missing = vendureMissing()
if (missing && process.env.CI !== undefined) throw new Error(missing)
if (missing) console.warn(missing)

/** A record without the service's own fields. */
export const withoutOwnFields = ({ createdAt, updatedAt, remoteFields, ...record }: Shown) => record

const sortByRemoteId = <Row extends { readonly remoteId: string }>(records: readonly Row[]) =>
  records.toSorted((a, b) => Number(a.remoteId) - Number(b.remoteId))

export type Harness = Awaited<ReturnType<typeof openHarness>>

/** Starts Vendure, connects it and fills the shop, without a sync. */
export const openHarness = async () => {
  const shop = await connectVendure()
  const { vendure } = shop
  const orderStatuses = new Map<string, OrderStatuses>()
  const vendureState = createVendureState(shop, orderStatuses)

  const lamp = await createProduct(vendure, {
    name: 'Lamp',
    description: '<p>Bright.</p>',
    variants: [
      { sku: 'LAMP-S', price: 1000, stockOnHand: 1000, options: { Size: 'S', Colour: 'red' } },
      { sku: 'LAMP-L', price: 1999, stockOnHand: 1000, options: { Size: 'L', Colour: 'red' } },
    ],
  })
  const emmy = await createCustomer(vendure, {
    firstName: 'Emmy',
    lastName: 'Noether',
    emailAddress: 'emmy@example.org',
    phoneNumber: '+49 421 1',
  })

  /** Sets the status of an order, which Vendure's API does not return. */
  const setStatuses = (id: string, paymentStatus: string, fulfillmentStatus: string): void =>
    void orderStatuses.set(id, { paymentStatus, fulfillmentStatus })

  const guest = { firstName: 'Sofja', lastName: 'Kowalewskaja', emailAddress: 'sofja@example.org' }
  /** An order of both lamps by a guest. */
  const buy = async (
    payment: 'prepaid' | 'invoice' = 'prepaid',
    extra: { readonly couponCode?: string } = {},
  ): Promise<Order> => {
    const lines = lamp.variants.map(({ id }, index) => ({ variantId: id, quantity: index + 2 }))
    const order = await placeOrder(vendure, { customer: guest, lines, payment, ...extra })
    setStatuses(order.id, payment === 'prepaid' ? 'Settled' : 'Authorized', 'Unfulfilled')
    return order
  }

  await createCoupon(vendure, 'TENTH', 10)
  await fillCart(vendure, [{ variantId: lamp.variants[0]?.id ?? '', quantity: 1 }])
  const first = await buy('invoice', { couponCode: 'TENTH' })
  const shipment = { trackingCode: 'T-0', method: 'DHL', state: 'Pending' } as const
  await fulfillOrder(vendure, await buy(), shipment)
  for (let count = 0; count < 3; count++) await buy()

  /** The records changed since the last read of the log: `updated orders 4`. */
  const takeChanges = async (): Promise<readonly string[]> =>
    (await shop.takeLog())
      .filter(({ topic }) => topic.startsWith('commerce/'))
      .map(({ topic, kind, remoteId }) => `${kind} ${topic.slice('commerce/'.length)} ${remoteId}`)
      .sort()

  return {
    shop,
    vendureState,
    lamp,
    emmy,
    first,
    setStatuses,
    buy,
    takeChanges,
    readAgain: async ({ id }: Order): Promise<Order> => {
      const now = await readOrder(vendure, id)
      if (!now) throw new Error(`order ${id} is gone`)
      return now
    },
    /** Compares one record, over REST and GraphQL, with Vendure's own state. */
    expectSame: async (topic: string, expected: Expected | undefined): Promise<Shown> => {
      if (!expected) throw new Error('Vendure has no such record')
      const shown = await shop.get(topic, expected.remoteId)
      expect(withoutOwnFields(shown)).toEqual(expected)
      return shown
    },
    /** Compares every record of every resource. @returns their number */
    expectAllSame: async (): Promise<Readonly<Record<string, number>>> => {
      const counts: Record<string, number> = {}
      for (const [topic, expected] of Object.entries(await vendureState.all())) {
        const listed = await shop.list(topic)
        expect(sortByRemoteId(listed).map(withoutOwnFields), topic).toEqual(
          sortByRemoteId(expected),
        )
        counts[topic] = listed.length
      }
      return counts
    },
    /** The changes caused by an action, found by a listing of changes after the overlap has passed. */
    changesBy: async (perform: () => Promise<unknown>): Promise<readonly string[]> => {
      await shop.passOverlap()
      await shop.takeLog()
      await perform()
      await shop.sync()
      return takeChanges()
    },
  }
}
