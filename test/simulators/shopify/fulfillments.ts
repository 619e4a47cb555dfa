/** Fulfillment orders, and the fulfillments that fulfill them. */
import { connectPart, type PageArguments } from './connections.ts'
import { type Context, mutation, type Resolvers } from './context.ts'
import { refuse } from './errors.ts'
import { timesBag, writeBag } from './money.ts'
import { fulfillmentsByOrder } from './order-totals.ts'
import type { Entry, Fulfillment, FulfillmentOrder, LineItem, Order } from './records.ts'
import type { Shop } from './shop.ts'

type FulfillmentOrderLine = FulfillmentOrder['lines'][number]
type FulfilledLine = Fulfillment['lines'][number]

/** Creates the fulfillment order of a new order. */
export const openFulfillmentOrder = (
  { id: orderId, value }: Entry<Order>,
  shop: Shop,
): Entry<FulfillmentOrder> =>
  shop.FulfillmentOrder.insert(shop.nextId('FulfillmentOrder'), {
    orderId,
    status: 'OPEN',
    requestStatus: 'UNSUBMITTED',
    lines: value.lineItems.map(({ id: lineItemId, quantity }) => ({
      id: shop.nextId('FulfillmentOrderLineItem'),
      lineItemId,
      totalQuantity: quantity,
      remainingQuantity: quantity,
    })),
  })

interface TrackingInput {
  readonly company?: string | null
  readonly number?: string | null
  readonly numbers?: readonly string[] | null
  readonly url?: string | null
  readonly urls?: readonly string[] | null
}

const readTracking = (input: TrackingInput | null | undefined): Fulfillment['trackingInfo'] => {
  if (!input) return []
  const numbers = input.numbers ?? (input.number ? [input.number] : [])
  const urls = input.urls ?? (input.url ? [input.url] : [])
  const length = Math.max(numbers.length, urls.length, input.company ? 1 : 0)
  return Array.from({ length }, (_, index) => ({
    company: input.company ?? null,
    number: numbers[index] ?? null,
    url: urls[index] ?? null,
  }))
}

export interface FulfillmentInput {
  readonly lineItemsByFulfillmentOrder: readonly {
    readonly fulfillmentOrderId: string
    readonly fulfillmentOrderLineItems?:
      | readonly { readonly id: string; readonly quantity: number }[]
      | null
  }[]
  readonly trackingInfo?: TrackingInput | null
}

const FIELD = 'fulfillment.lineItemsByFulfillmentOrder'

/** A fulfillment order that may be fulfilled. @throws UserErrors */
const requireOpen = (id: string, index: number, shop: Shop): Entry<FulfillmentOrder> => {
  const fulfillmentOrder = shop.FulfillmentOrder.find(id)
  if (!fulfillmentOrder)
    return refuse(`${FIELD}.${index}.fulfillmentOrderId`, 'Fulfillment order does not exist.')
  if (!['OPEN', 'IN_PROGRESS'].includes(fulfillmentOrder.value.status))
    refuse(
      `${FIELD}.${index}.fulfillmentOrderId`,
      `Fulfillment order ${id} has an unfulfillable status= ${fulfillmentOrder.value.status.toLowerCase()}.`,
    )
  return fulfillmentOrder
}

/** The quantity of a line to fulfill: the requested quantity, or the remaining one. */
const quantityFor = (
  { id, remainingQuantity }: FulfillmentOrderLine,
  requested: readonly { readonly id: string; readonly quantity: number }[] | null | undefined,
): number =>
  requested?.length ? (requested.find((line) => line.id === id)?.quantity ?? 0) : remainingQuantity

type FulfillmentOrderRequest = FulfillmentInput['lineItemsByFulfillmentOrder'][number]

/** Subtracts the quantities from the fulfillment order. @returns the lines of the fulfillment @throws UserErrors */
const subtractQuantities = (
  { fulfillmentOrderId, fulfillmentOrderLineItems: requested }: FulfillmentOrderRequest,
  index: number,
  shop: Shop,
): readonly FulfilledLine[] => {
  const fulfillmentOrder = requireOpen(fulfillmentOrderId, index, shop)
  const lineIds = fulfillmentOrder.value.lines.map(({ id }) => id)
  if (requested?.some(({ id }) => !lineIds.includes(id)))
    refuse(
      `${FIELD}.${index}.fulfillmentOrderLineItems`,
      'Fulfillment order line item does not exist.',
    )
  const fulfilledLines = fulfillmentOrder.value.lines.map((line) => ({
    line,
    quantity: quantityFor(line, requested),
  }))
  const isInvalid = requested?.some(({ quantity }) => quantity < 1)
  if (isInvalid || fulfilledLines.some(({ line, quantity }) => quantity > line.remainingQuantity))
    refuse(
      `${FIELD}.${index}.fulfillmentOrderLineItems`,
      'Invalid fulfillment order line item quantity requested.',
    )
  const lines = fulfilledLines.map(({ line, quantity }) => ({
    ...line,
    remainingQuantity: line.remainingQuantity - quantity,
  }))
  const isDone = lines.every(({ remainingQuantity }) => remainingQuantity === 0)
  shop.FulfillmentOrder.change(fulfillmentOrder.id, {
    lines,
    status: isDone ? 'CLOSED' : 'IN_PROGRESS',
  })
  return fulfilledLines
    .filter(({ quantity }) => quantity > 0)
    .map(({ line, quantity }) => ({
      id: shop.nextId('FulfillmentLineItem'),
      lineItemId: line.lineItemId,
      fulfillmentOrderId,
      quantity,
    }))
}

/** @throws UserErrors */
export const createFulfillment = (input: FulfillmentInput, shop: Shop): Entry<Fulfillment> => {
  const requests = input.lineItemsByFulfillmentOrder
  if (requests.length === 0) refuse(FIELD, 'At least one fulfillment order is required.')
  const lines = requests.flatMap((request, index) => subtractQuantities(request, index, shop))
  const orderIds = new Set(
    requests.map(({ fulfillmentOrderId: id }) => shop.FulfillmentOrder.find(id)?.value.orderId),
  )
  const [orderId = ''] = orderIds
  if (orderIds.size > 1) refuse(FIELD, 'All fulfillment orders must belong to the same order.')
  if (lines.length === 0) refuse(FIELD, 'There is nothing to fulfill.')
  const order = shop.Order.change(orderId, {}, 'fulfilled')
  const count = (fulfillmentsByOrder(shop).get(orderId) ?? []).length + 1
  return shop.Fulfillment.insert(shop.nextId('Fulfillment'), {
    orderId,
    name: `${order.value.name}-F${count}`,
    lines,
    status: 'SUCCESS',
    displayStatus: 'FULFILLED',
    trackingInfo: readTracking(input.trackingInfo),
  })
}

const fulfillmentOf = (id: string, shop: Shop, field: string): Entry<Fulfillment> =>
  shop.Fulfillment.find(id) ?? refuse(field, 'Fulfillment does not exist.')

/** @throws UserErrors */
export const updateTracking = (id: string, input: TrackingInput, shop: Shop) => {
  const { value } = fulfillmentOf(id, shop, 'fulfillmentId')
  if (value.status === 'CANCELLED')
    refuse('fulfillmentId', 'Fulfillment cannot be updated because it is cancelled.')
  shop.Order.change(value.orderId)
  return shop.Fulfillment.change(id, { trackingInfo: readTracking(input) })
}

/** Returns the quantities of a cancelled fulfillment: to its fulfillment order, or to a new one if that is closed. */
const returnQuantities = (id: string, lines: readonly FulfilledLine[], shop: Shop): void => {
  const fulfillmentOrder = shop.FulfillmentOrder.find(id)
  if (!fulfillmentOrder) return
  const quantityOf = (lineItemId: string) =>
    lines.find((line) => line.lineItemId === lineItemId)?.quantity ?? 0
  if (fulfillmentOrder.value.status !== 'CLOSED') {
    const restoredLines = fulfillmentOrder.value.lines.map((line) => ({
      ...line,
      remainingQuantity: line.remainingQuantity + quantityOf(line.lineItemId),
    }))
    shop.FulfillmentOrder.change(id, { lines: restoredLines })
    return
  }
  shop.FulfillmentOrder.insert(shop.nextId('FulfillmentOrder'), {
    orderId: fulfillmentOrder.value.orderId,
    status: 'OPEN',
    requestStatus: 'UNSUBMITTED',
    lines: lines.map(({ lineItemId, quantity }) => ({
      id: shop.nextId('FulfillmentOrderLineItem'),
      lineItemId,
      totalQuantity: quantity,
      remainingQuantity: quantity,
    })),
  })
}

/** @throws UserErrors */
export const cancelFulfillment = (id: string, shop: Shop): Entry<Fulfillment> => {
  const { value } = fulfillmentOf(id, shop, 'id')
  if (value.status === 'CANCELLED') refuse('id', 'Fulfillment is already cancelled.')
  const groups = Map.groupBy(value.lines, ({ fulfillmentOrderId }) => fulfillmentOrderId)
  for (const [fulfillmentOrderId, lines] of groups)
    returnQuantities(fulfillmentOrderId, lines, shop)
  shop.Order.change(value.orderId)
  return shop.Fulfillment.change(id, { status: 'CANCELLED', displayStatus: 'CANCELED' })
}

const orderOf = (value: { readonly orderId: string }, shop: Shop): Entry<Order> | undefined =>
  shop.Order.find(value.orderId)

/** A line of a fulfillment order or of a fulfillment, with the order's line. */
interface LineSource {
  readonly order: Order
  readonly lineItem: { readonly order: Entry<Order>; readonly line: LineItem }
  readonly quantity: number
}

const linesOf = <Line extends { readonly lineItemId: string }>(
  orderId: string,
  lines: readonly Line[],
  shop: Shop,
) => {
  const order = shop.Order.find(orderId)
  return lines.flatMap((part) => {
    const line = order?.value.lineItems.find(({ id }) => id === part.lineItemId)
    return order && line ? [{ ...part, order: order.value, lineItem: { order, line } }] : []
  })
}

type FulfillmentSource = Entry<Fulfillment>
type FulfillmentOrderSource = Entry<FulfillmentOrder>

export const LOCATION_ID = 'gid://shopify/Location/5400000000001'

export const fulfillmentResolvers: Resolvers = {
  Fulfillment: {
    fulfillmentLineItems: ({ id, value }: FulfillmentSource, args: PageArguments, context) =>
      connectPart(
        linesOf(value.orderId, value.lines, context.shop),
        args,
        context,
        `lines of ${id}`,
      ),
    fulfillmentOrders: ({ id, value }: FulfillmentSource, args: PageArguments, context) => {
      const ids = new Set(value.lines.map(({ fulfillmentOrderId }) => fulfillmentOrderId))
      const fulfillmentOrders = [...ids].map((fulfillmentOrderId) =>
        context.shop.FulfillmentOrder.find(fulfillmentOrderId),
      )
      return connectPart(fulfillmentOrders, args, context, `fulfillment orders of ${id}`)
    },
    location: () => ({ id: LOCATION_ID }),
    order: ({ value }: FulfillmentSource, _, { shop }) => orderOf(value, shop),
    requiresShipping: ({ value }: FulfillmentSource, _, { shop }) =>
      linesOf(value.orderId, value.lines, shop).some(
        ({ lineItem }) => lineItem.line.requiresShipping,
      ),
    totalQuantity: ({ value }: FulfillmentSource) =>
      value.lines.reduce((sum, { quantity }) => sum + quantity, 0),
    trackingInfo: ({ value }: FulfillmentSource, { first }: { readonly first?: number }) =>
      value.trackingInfo.slice(0, first ?? undefined),
  },
  FulfillmentLineItem: {
    discountedTotalSet: ({ order, lineItem, quantity }: LineSource) =>
      writeBag(timesBag(lineItem.line.unitPrice, quantity), order),
    originalTotalSet: ({ order, lineItem, quantity }: LineSource) =>
      writeBag(timesBag(lineItem.line.unitPrice, quantity), order),
  },
  FulfillmentOrder: {
    assignedLocation: () => ({
      name: 'Main warehouse',
      countryCode: 'US',
      location: { id: LOCATION_ID },
    }),
    fulfillments: ({ id, value }: FulfillmentOrderSource, args: PageArguments, context) => {
      const all = fulfillmentsByOrder(context.shop).get(value.orderId) ?? []
      const own = all.filter((fulfillment) =>
        fulfillment.value.lines.some(({ fulfillmentOrderId }) => fulfillmentOrderId === id),
      )
      return connectPart(own, args, context, `fulfillments of ${id}`)
    },
    lineItems: ({ id, value }: FulfillmentOrderSource, args: PageArguments, context) =>
      connectPart(
        linesOf(value.orderId, value.lines, context.shop),
        args,
        context,
        `lines of ${id}`,
      ),
    order: ({ value }: FulfillmentOrderSource, _, { shop }) => orderOf(value, shop),
    orderName: ({ value }: FulfillmentOrderSource, _, { shop }) => orderOf(value, shop)?.value.name,
    orderProcessedAt: ({ value }: FulfillmentOrderSource, _, { shop }) =>
      orderOf(value, shop)?.value.processedAt,
    supportedActions: ({ value }: FulfillmentOrderSource) =>
      ['OPEN', 'IN_PROGRESS'].includes(value.status) ? [{ action: 'CREATE_FULFILLMENT' }] : [],
  },
  FulfillmentOrderLineItem: {
    productTitle: ({ lineItem: { line } }: LineSource) => line.title,
    requiresShipping: ({ lineItem: { line } }: LineSource) => line.requiresShipping,
    sku: ({ lineItem: { line } }: LineSource) => line.sku,
    variant: ({ lineItem: { line } }: LineSource, _, { shop }) =>
      line.variantId === null ? null : shop.ProductVariant.find(line.variantId),
    variantTitle: ({ lineItem: { line } }: LineSource) => line.variantTitle,
    vendor: ({ lineItem: { line } }: LineSource) => line.vendor,
  },
}

interface TrackingArguments {
  readonly fulfillmentId: string
  readonly trackingInfoInput: TrackingInput
}

export const fulfillmentMutations: Resolvers[string] = {
  fulfillmentCreate: mutation(
    ({ fulfillment }: { readonly fulfillment: FulfillmentInput }, { shop }: Context) => ({
      fulfillment: createFulfillment(fulfillment, shop),
    }),
  ),
  fulfillmentTrackingInfoUpdate: mutation(
    ({ fulfillmentId, trackingInfoInput }: TrackingArguments, { shop }: Context) => ({
      fulfillment: updateTracking(fulfillmentId, trackingInfoInput, shop),
    }),
  ),
  fulfillmentCancel: mutation(({ id }: { readonly id: string }, { shop }: Context) => ({
    fulfillment: cancelFulfillment(id, shop),
  })),
}
