/** The records that the API must show for a shop, computed from GraphQL documents other than the connector's. */
import { recordId } from '../../../src/definition/identity.ts'
import type { Loose } from './harness.ts'

const addressOf = (remote: Loose) =>
  remote && {
    address1: remote.address1,
    address2: remote.address2,
    city: remote.city,
    countryCode: remote.countryCodeV2,
    firstName: remote.firstName,
    lastName: remote.lastName,
    phone: remote.phone,
    postalCode: remote.zip,
    region: remote.provinceCode ?? remote.province,
  }

/** The payment states that have another name in the unified model. */
const paymentStates: Readonly<Record<string, string>> = { PENDING: 'UNPAID', VOIDED: 'VOID' }

const ADDRESS_FIELDS =
  'address1 address2 city countryCodeV2 firstName lastName phone zip province provinceCode'
const LINES = `id name sku quantity product { id } variant { id }
  originalUnitPriceSet { shopMoney { amount } }`

/** How the records of a resource are read from the shop, and the record that the API must show for each. */
export interface Expectation {
  /** A root connection, which is read page by page at the cursor `$after`. */
  readonly document: string
  expect(remote: Loose): object
}

/** The plurals of the resources. */
export const PLURALS = ['customers', 'products', 'orders', 'fulfillments']

/** The expectations of a credential, by the plural of each resource. */
export const expectationsOf = (credentialId: string): Readonly<Record<string, Expectation>> => {
  const idOf = (topic: string, remoteId: string | undefined): string | null =>
    remoteId === undefined ? null : recordId(credentialId, `commerce/${topic}`, remoteId)

  const commonFields = (topic: string, { id, createdAt, updatedAt }: Loose) => ({
    id: idOf(topic, id),
    remoteId: id,
    remoteDeleted: false,
    remoteCreatedAt: new Date(createdAt).toISOString(),
    remoteUpdatedAt: new Date(updatedAt).toISOString(),
  })

  return {
    customers: {
      document: `customers(first: 50, after: $after) { nodes { id createdAt updatedAt firstName lastName
      defaultEmailAddress { emailAddress } defaultPhoneNumber { phoneNumber } } }`,
      expect: (remote) => ({
        ...commonFields('customers', remote),
        firstName: remote.firstName,
        lastName: remote.lastName,
        email: remote.defaultEmailAddress?.emailAddress ?? null,
        phone: remote.defaultPhoneNumber?.phoneNumber ?? null,
      }),
    },
    products: {
      document: `products(first: 10, after: $after) { nodes { id createdAt updatedAt title descriptionHtml productType
      status tags vendor onlineStoreUrl media(first: 3) { nodes { ... on MediaImage { image { url } } } }
      variants(first: 15) { nodes { id title price sku inventoryQuantity selectedOptions { name value }
        inventoryItem { tracked measurement { weight { value unit } } } } } } }`,
      expect: (remote) => ({
        ...commonFields('products', remote),
        productName: remote.title,
        description: remote.descriptionHtml || null,
        productType: remote.productType || null,
        productStatus: remote.status,
        images: remote.media.nodes.map(({ image }: Loose) => image.url),
        tags: remote.tags,
        vendor: remote.vendor || null,
        productUrl: remote.onlineStoreUrl,
        variants: remote.variants.nodes.map((variant: Loose) => ({
          id: idOf('products.variants', variant.id),
          remoteId: variant.id,
          title: variant.title,
          price: variant.price,
          sku: variant.sku,
          optionValues: variant.selectedOptions.filter(({ name }: Loose) => name !== 'Title'),
          inventory: variant.inventoryItem.tracked
            ? { totalCount: variant.inventoryQuantity }
            : null,
          weight: variant.inventoryItem.measurement.weight,
        })),
      }),
    },
    orders: {
      document: `orders(first: 10, after: $after) { nodes { id createdAt updatedAt name cancelledAt closed currencyCode
      displayFulfillmentStatus displayFinancialStatus email phone customer { id firstName lastName }
      totalPriceSet { shopMoney { amount } } totalDiscountsSet { shopMoney { amount } }
      totalShippingPriceSet { shopMoney { amount } } totalTaxSet { shopMoney { amount } }
      billingAddress { ${ADDRESS_FIELDS} } shippingAddress { ${ADDRESS_FIELDS} }
      lineItems(first: 12) { nodes { ${LINES} } } } }`,
      expect: (remote) => ({
        ...commonFields('orders', remote),
        orderNumber: remote.name,
        orderStatus: remote.cancelledAt ? 'cancelled' : remote.closed ? 'closed' : 'open',
        orderState: remote.cancelledAt ? 'CANCELLED' : remote.closed ? 'COMPLETED' : 'OPEN',
        fulfillmentState: remote.displayFulfillmentStatus,
        paymentState: paymentStates[remote.displayFinancialStatus] ?? remote.displayFinancialStatus,
        fulfillmentStatus: remote.displayFulfillmentStatus,
        paymentStatus: remote.displayFinancialStatus,
        currency: remote.currencyCode,
        totalPrice: remote.totalPriceSet.shopMoney.amount,
        totalDiscount: remote.totalDiscountsSet.shopMoney.amount,
        totalShipping: remote.totalShippingPriceSet.shopMoney.amount,
        totalTax: remote.totalTaxSet.shopMoney.amount,
        lineItems: remote.lineItems.nodes.map((line: Loose) => ({
          productId: idOf('products', line.product?.id),
          variantId: idOf('products.variants', line.variant?.id),
          title: line.name,
          price: line.originalUnitPriceSet.shopMoney.amount,
          unitCost: null,
          currency: remote.currencyCode,
          sku: line.sku,
          quantity: line.quantity,
        })),
        billingAddress: addressOf(remote.billingAddress),
        shippingAddress: addressOf(remote.shippingAddress),
        customer: {
          customerId: idOf('customers', remote.customer?.id),
          firstName: remote.customer?.firstName ?? null,
          lastName: remote.customer?.lastName ?? null,
          email: remote.email,
          phone: remote.phone,
        },
      }),
    },
    fulfillments: {
      document: `orders(first: 20, after: $after) { nodes { fulfillments(first: 5) { id status displayStatus createdAt updatedAt order { id }
      trackingInfo { company number url }
      fulfillmentLineItems(first: 4) { nodes { quantity lineItem { ${LINES} } } } } } }`,
      expect: (remote) => ({
        ...commonFields('fulfillments', remote),
        orderId: idOf('orders', remote.order.id),
        service: null,
        shipmentState: remote.displayStatus === 'CANCELED' ? 'CANCELLED' : 'SHIPPED',
        carrier: remote.trackingInfo[0]?.company ?? null,
        trackingNumbers: remote.trackingInfo.map(({ number }: Loose) => number),
        trackingUrls: remote.trackingInfo.flatMap(({ url }: Loose) => url ?? []),
        lineItems: remote.fulfillmentLineItems.nodes.map(({ quantity, lineItem: line }: Loose) => ({
          lineItemId: line.id,
          productId: idOf('products', line.product?.id),
          variantId: idOf('products.variants', line.variant?.id),
          title: line.name,
          price: line.originalUnitPriceSet.shopMoney.amount,
          sku: line.sku,
          quantity,
        })),
      }),
    },
  }
}
