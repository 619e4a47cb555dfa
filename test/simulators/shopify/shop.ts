/** The state of one shop. */
import type { Account } from '../engine/accounts.ts'
import type { Clock } from '../engine/clock.ts'
import { type Cursors, createCursors } from '../engine/pages.ts'
import { type Collection, createCollection, type RecordType, type RecordTypes } from './records.ts'

export interface ShopSettings {
  /** Default: USD. */
  readonly currencyCode: string
  /** A zone without daylight saving time. Default: America/Phoenix, -420. */
  readonly ianaTimezone: string
  readonly timezoneOffsetMinutes: number
  /** Milliseconds until `query` finds a change. Default: 0. */
  readonly searchLagMs: number
  /** Duration of jobs and bulk operations in milliseconds. Default: 1,000. */
  readonly jobMs: number
  /** How many records of a list can be paged through. Default: 25,000. */
  readonly maxListed: number
}

type Collections = { readonly [Type in RecordType]: Collection<RecordTypes[Type]> }

export interface Shop extends Collections {
  readonly account: Account
  readonly settings: ShopSettings
  readonly clock: Clock
  readonly cursors: Cursors
  /** The results of bulk operations, by id. */
  readonly results: Map<string, Buffer>
  /** The next id of a type: `gid://shopify/Order/5400000000001`. */
  nextId(type: string): string
  /** Runs `work` at the first use of the shop after this time has passed. */
  later(delayMs: number, work: () => void): void
  /** Runs the delayed work that is due. */
  runDue(): void
  /** Notes what happened to a record, for `events` and `deletionEvents`. */
  noteEvent(action: string, subjectType: string, subjectId: string): void
}

// Ids of the vendor have 13 or 14 digits.
const FIRST_ID = 5_400_000_000_000

/** The number in `gid://shopify/Order/5400000000001`. */
export const numberOf = (id: string): number => Number(id.slice(id.lastIndexOf('/') + 1))

/** `Order` of `gid://shopify/Order/5400000000001`; undefined if it is not such an id. */
export const typeOfId = (id: string): string | undefined =>
  /^gid:\/\/shopify\/([A-Za-z]{1,60})\/\d{1,20}$/.exec(id)?.[1]

/** The vendor's times have seconds. */
export const writeTime = (ms: number): string =>
  `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19)}Z`

export const openShop = (account: Account, clock: Clock, settings: ShopSettings): Shop => {
  const { store } = account
  const delayed: { readonly dueAtMs: number; readonly work: () => void }[] = []

  const collections: Collections = {
    Customer: createCollection(store, 'Customer'),
    Product: createCollection(store, 'Product'),
    ProductVariant: createCollection(store, 'ProductVariant'),
    Order: createCollection(store, 'Order'),
    FulfillmentOrder: createCollection(store, 'FulfillmentOrder'),
    Fulfillment: createCollection(store, 'Fulfillment'),
    BasicEvent: createCollection(store, 'BasicEvent'),
    WebhookSubscription: createCollection(store, 'WebhookSubscription'),
    BulkOperation: createCollection(store, 'BulkOperation'),
    Job: createCollection(store, 'Job'),
  }
  const nextId = (type: string): string =>
    `gid://shopify/${type}/${FIRST_ID + Number(store.nextId(type))}`

  return {
    ...collections,
    account,
    settings,
    clock,
    cursors: createCursors(),
    results: new Map(),
    nextId,
    later: (delayMs, work) => void delayed.push({ dueAtMs: clock.steadyMs() + delayMs, work }),
    runDue: () => {
      const nowMs = clock.steadyMs()
      const due = delayed.filter(({ dueAtMs }) => dueAtMs <= nowMs)
      for (const task of due) {
        delayed.splice(delayed.indexOf(task), 1)
        task.work()
      }
    },
    noteEvent: (action, subjectType, subjectId) => {
      const message = `${subjectType} ${action}`
      const event = { action, subjectType, subjectId, message }
      collections.BasicEvent.insert(nextId('BasicEvent'), event)
    },
  }
}
