/** How orders whose `updatedAt` stands still are found (NOTES 13). */
import { entriesOf, type Values, valuesOf } from './graphql.ts'
import type { Pass } from './listing.ts'
import { daysBefore, latestOf, notAfter } from './times.ts'

/** Carts, drafts and cancelled carts are listed too, and only this tells them apart (NOTES 16). */
export const PLACED = { orderPlacedAt: { isNull: false } } as const

/**
 * In these states an order waits for nothing; what still happens to it leaves a time on one of its
 * parts. Any other, those of the shop's own making too, may be left without a trace of it.
 */
const DONE = ['Shipped', 'Delivered', 'Cancelled'] as const
// Many shops never mark an order as delivered: all of them, every few seconds, would be too much.
// What happens to older ones is seen by the listing of everything.
const DONE_WATCHED_DAYS = 60

const lately = (since: string) => ({ after: daysBefore(since, DONE_WATCHED_DAYS) })

/** The parts of an order that have times of their own. */
const PARTS = `
  payments { updatedAt refunds { updatedAt } }
  fulfillments { updatedAt }
  modifications { updatedAt }`

const timesOf = (parts: unknown): readonly unknown[] =>
  entriesOf(parts).map(({ updatedAt }) => updatedAt)

/** The latest time of any part of an order that was asked for. */
export const latestPart = (order: Values): string | undefined =>
  latestOf([
    ...timesOf(order.payments),
    ...entriesOf(order.payments).flatMap(({ refunds }) => timesOf(refunds)),
    ...timesOf(order.fulfillments),
    ...timesOf(order.modifications),
    ...entriesOf(valuesOf(order.history).items).map(({ createdAt }) => createdAt),
  ])

/** The id of an order of which a part has changed. */
const changedSince = (order: Values, since: string): string | undefined =>
  (latestPart(order) ?? '') >= since ? String(order.id) : undefined

/**
 * New, cancelled, modified and reassigned orders; all others that are open; the done ones with a
 * changed part. No order is in two of them: the engine would take many pages that come twice for a
 * listing that goes round in a circle.
 */
export const orderPasses = (since: string): readonly Pass[] => [
  {
    filter: {
      _or: [{ updatedAt: { after: since } }, { orderPlacedAt: { after: since } }],
    },
  },
  {
    filter: {
      ...{ updatedAt: notAfter(since), orderPlacedAt: notAfter(since) },
      state: { notIn: DONE },
    },
  },
  {
    filter: {
      updatedAt: notAfter(since),
      orderPlacedAt: { ...lately(since), ...notAfter(since) },
      state: { in: DONE },
    },
    trace: {
      list: 'orders',
      fields: `id ${PARTS}`,
      idOf: (order) => changedSince(order, since),
    },
  },
]

/** The orders with a changed fulfillment: nothing else of an order shows in one. */
export const fulfillmentPasses = (since: string): readonly Pass[] => [
  {
    filter: { _or: [{ state: { notIn: DONE } }, { orderPlacedAt: lately(since) }] },
    trace: {
      list: 'orders',
      fields: 'id fulfillments { updatedAt }',
      idOf: (order) => changedSince(order, since),
    },
  },
]
