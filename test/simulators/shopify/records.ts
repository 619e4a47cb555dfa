/** The stored records of a shop. Fields that exist in the contract have the names of the contract. */
import type { Json, JsonObject } from '../engine/json.ts'
import type { Store, StoredRecord } from '../engine/store.ts'

/** An amount in the shop's currency and in that of the buyer. */
export type Bag = { readonly shop: number; readonly presentment: number }

export type Address = {
  readonly id: string
  readonly [field: string]: string | null
}

export type Attribute = { readonly key: string; readonly value: string | null }

export type Customer = {
  readonly firstName: string | null
  readonly lastName: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly note: string | null
  readonly locale: string
  readonly tags: readonly string[]
  readonly taxExempt: boolean
  readonly addresses: readonly Address[]
}

export type ProductOption = {
  readonly id: string
  readonly name: string
  readonly values: readonly { readonly id: string; readonly name: string }[]
}

/** A medium of a product: the simulator has images alone. */
export type ProductImage = {
  readonly id: string
  readonly url: string
  readonly alt: string | null
}

export type Product = {
  readonly title: string
  readonly handle: string
  readonly descriptionHtml: string
  readonly vendor: string
  readonly productType: string
  readonly templateSuffix: string | null
  readonly status: string
  readonly tags: readonly string[]
  readonly publishedAt: string | null
  readonly options: readonly ProductOption[]
  readonly images: readonly ProductImage[]
}

export type ProductVariant = {
  readonly productId: string
  readonly inventoryItemId: string
  readonly position: number
  /** The value of each option of the product, in their order. */
  readonly optionValues: readonly string[]
  readonly price: number
  readonly compareAtPrice: number | null
  readonly cost: number | null
  readonly sku: string | null
  readonly barcode: string | null
  readonly taxable: boolean
  readonly requiresShipping: boolean
  readonly tracked: boolean
  readonly inventoryPolicy: string
  readonly inventoryQuantity: number
  readonly weight: { readonly value: number; readonly unit: string } | null
}

export type TaxLine = {
  readonly title: string
  readonly rate: number
  readonly price: Bag
}

export type LineItem = {
  readonly id: string
  readonly title: string
  readonly quantity: number
  readonly unitPrice: Bag
  readonly sku: string | null
  readonly vendor: string | null
  readonly variantTitle: string | null
  readonly variantId: string | null
  readonly productId: string | null
  readonly requiresShipping: boolean
  readonly taxable: boolean
  readonly taxLines: readonly TaxLine[]
}

export type ShippingLine = {
  readonly id: string
  readonly title: string
  readonly code: string | null
  readonly source: string | null
  readonly price: Bag
  readonly taxLines: readonly TaxLine[]
}

export type Transaction = {
  readonly id: string
  readonly kind: string
  readonly status: string
  readonly gateway: string
  readonly amount: Bag
  readonly createdAt: string
  readonly processedAt: string
  readonly test: boolean
}

export type Order = {
  readonly number: number
  readonly name: string
  readonly email: string | null
  readonly phone: string | null
  readonly note: string | null
  readonly poNumber: string | null
  readonly tags: readonly string[]
  readonly customAttributes: readonly Attribute[]
  readonly customerId: string | null
  readonly currencyCode: string
  readonly presentmentCurrencyCode: string
  readonly shippingAddress: Address | null
  readonly billingAddress: Address | null
  readonly lineItems: readonly LineItem[]
  readonly shippingLines: readonly ShippingLine[]
  readonly taxLines: readonly TaxLine[]
  readonly taxesIncluded: boolean
  readonly transactions: readonly Transaction[]
  /** The status that the creator of the order has set; null: it follows from the transactions. */
  readonly financialStatus: string | null
  readonly confirmationNumber: string
  readonly sourceName: string | null
  readonly sourceIdentifier: string | null
  readonly processedAt: string
  readonly closedAt: string | null
  readonly cancelledAt: string | null
  readonly cancelReason: string | null
  readonly staffNote: string | null
  readonly test: boolean
}

export type FulfillmentOrder = {
  readonly orderId: string
  readonly status: string
  readonly requestStatus: string
  readonly lines: readonly {
    readonly id: string
    readonly lineItemId: string
    readonly totalQuantity: number
    readonly remainingQuantity: number
  }[]
}

export type Fulfillment = {
  readonly orderId: string
  readonly name: string
  readonly status: string
  readonly displayStatus: string
  readonly trackingInfo: readonly {
    readonly company: string | null
    readonly number: string | null
    readonly url: string | null
  }[]
  readonly lines: readonly {
    readonly id: string
    readonly lineItemId: string
    readonly fulfillmentOrderId: string
    readonly quantity: number
  }[]
}

export type BasicEvent = {
  readonly action: string
  readonly subjectType: string
  readonly subjectId: string
  readonly message: string
}

export type WebhookSubscription = {
  readonly clientId: string
  readonly topic: string
  readonly uri: string
  readonly format: string
  readonly includeFields: readonly string[]
}

export type BulkOperation = {
  readonly clientId: string
  readonly status: string
  readonly query: string
  readonly completedAt: string | null
  readonly objectCount: number
  readonly rootObjectCount: number
  readonly fileSize: number | null
  readonly url: string | null
}

/** Work that the vendor does in the background. */
export type Job = { readonly done: boolean }

/** The stored types, by the name of their GraphQL type. */
export interface RecordTypes {
  readonly Customer: Customer
  readonly Product: Product
  readonly ProductVariant: ProductVariant
  readonly Order: Order
  readonly FulfillmentOrder: FulfillmentOrder
  readonly Fulfillment: Fulfillment
  readonly BasicEvent: BasicEvent
  readonly WebhookSubscription: WebhookSubscription
  readonly BulkOperation: BulkOperation
  readonly Job: Job
}

export type RecordType = keyof RecordTypes

export interface Entry<Value> extends Omit<StoredRecord, 'value'> {
  readonly value: Value
}

export type EntryOf<Type extends RecordType> = Entry<RecordTypes[Type]>

/** The records of one type. */
export interface Collection<Value> {
  readonly type: RecordType
  find(id: string): Entry<Value> | undefined
  list(): readonly Entry<Value>[]
  listAsOf(atMs: number): readonly Entry<Value>[]
  /** What `build` derives from the records; built again after a change. A key has one builder. */
  view<T>(key: string, build: (entries: readonly Entry<Value>[]) => T): T
  insert(id: string, value: Value): Entry<Value>
  /** Changes the record. Without `fields`, only its update time changes. */
  change(id: string, fields?: Partial<Value>, action?: string): Entry<Value>
  remove(id: string): void
}

export const createCollection = <Value extends Readonly<Record<string, Json>>>(
  store: Store,
  type: RecordType,
): Collection<Value> => {
  // Records of this type are written by this collection alone, with values of this type.
  const read = (record: StoredRecord) => record as Entry<Value>
  const readAll = (records: readonly StoredRecord[]) => records as readonly Entry<Value>[]
  const find = (id: string) => {
    const record = store.find(type, id)
    return record && read(record)
  }
  return {
    type,
    find,
    list: () => readAll(store.list(type)),
    listAsOf: (atMs) => readAll(store.listAsOf(type, atMs)),
    view: (key, build) => store.view([type], key, (records) => build(readAll(records))),
    insert: (id, value) => read(store.insert(type, id, value)),
    change: (id, fields = {}, action) => {
      const before: JsonObject = { ...find(id)?.value }
      return read(store.replace(type, id, { ...before, ...fields }, action))
    },
    remove: (id) => store.remove(type, id),
  }
}
