/** Fills a Medusa shop with what an order needs, and performs a merchant's actions in it. */
import type { Medusa } from './start.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests know the fields of the responses
type Loose = any

/** The ids of what orders refer to. */
export interface Shop {
  readonly regionId: string
  readonly salesChannelId: string
  readonly locationId: string
  readonly shippingOptionId: string
  readonly shippingProfileId: string
}

/** Creates a region in euros, a stock location and a shipping option. */
export const createShop = async ({ admin }: Medusa): Promise<Shop> => {
  const { region } = await admin('POST', 'regions', {
    name: 'Germany',
    currency_code: 'eur',
    countries: ['de'],
    payment_providers: ['pp_system_default'],
  })
  const { stock_location: location } = await admin('POST', 'stock-locations', { name: 'Bremen' })
  const at = `stock-locations/${location.id}`
  await admin('POST', `${at}/fulfillment-providers`, { add: ['manual_manual'] })
  await admin('POST', `${at}/fulfillment-sets`, { name: 'Shipping', type: 'shipping' })
  const { sales_channels: channels } = await admin('GET', 'sales-channels')
  const salesChannelId = channels[0].id
  await admin('POST', `${at}/sales-channels`, { add: [salesChannelId] })
  const { stock_location: equipped } = await admin('GET', `${at}?fields=id,*fulfillment_sets`)
  const { fulfillment_set: set } = await admin(
    'POST',
    `fulfillment-sets/${equipped.fulfillment_sets[0].id}/service-zones`,
    { name: 'Germany', geo_zones: [{ type: 'country', country_code: 'de' }] },
  )
  const { shipping_profiles: profiles } = await admin('GET', 'shipping-profiles')
  const shippingProfileId =
    profiles[0]?.id ??
    (await admin('POST', 'shipping-profiles', { name: 'Default', type: 'default' }))
      .shipping_profile.id
  const { shipping_option: option } = await admin('POST', 'shipping-options', {
    name: 'Standard',
    service_zone_id: set.service_zones[0].id,
    shipping_profile_id: shippingProfileId,
    provider_id: 'manual_manual',
    price_type: 'flat',
    type: { label: 'Standard', description: 'Three days', code: 'standard' },
    prices: [{ currency_code: 'eur', amount: 4.9 }],
    rules: [],
  })
  return {
    regionId: region.id,
    salesChannelId,
    locationId: location.id,
    shippingOptionId: option.id,
    shippingProfileId,
  }
}

/** Creates a lamp in two sizes, with 50 units of each in stock. */
export const createLamp = async (
  { admin }: Medusa,
  { salesChannelId, shippingProfileId, locationId }: Shop,
  title = 'Lamp',
): Promise<Loose> => {
  const variantInput = (size: string, amount: number) => ({
    title: size,
    sku: `${title}-${size}`.toUpperCase(),
    options: { Size: size },
    weight: 800,
    manage_inventory: true,
    prices: [
      { currency_code: 'eur', amount },
      { currency_code: 'usd', amount: amount + 1 },
    ],
  })
  const { product } = await admin('POST', 'products', {
    title,
    description: 'Bright.',
    status: 'published',
    options: [{ title: 'Size', values: ['S', 'L'] }],
    variants: [variantInput('S', 10), variantInput('L', 19.99)],
    images: [{ url: 'https://shop.example/1.png' }, { url: 'https://shop.example/2.png' }],
    sales_channels: [{ id: salesChannelId }],
    shipping_profile_id: shippingProfileId,
  })
  const fields = 'id,variants.id,variants.inventory_items.inventory_item_id'
  const { product: stocked } = await admin('GET', `products/${product.id}?fields=${fields}`)
  for (const { inventory_items: items } of stocked.variants)
    for (const { inventory_item_id: id } of items)
      await admin('POST', `inventory-items/${id}/location-levels`, {
        location_id: locationId,
        stocked_quantity: 50,
      })
  return product
}

export const ADDRESS = {
  first_name: 'Grete',
  last_name: 'Hermann',
  address_1: 'Am Wall 1',
  address_2: null,
  city: 'Bremen',
  country_code: 'de',
  province: null,
  postal_code: '28195',
  phone: '+49 421 1',
}

/** Places an order: a draft that becomes an order. */
export const placeOrder = async (
  { admin }: Medusa,
  { regionId, salesChannelId, shippingOptionId }: Shop,
  items: readonly { readonly variant_id: string; readonly quantity: number }[],
  email = 'grete@example.org',
): Promise<Loose> => {
  const { draft_order: draft } = await admin('POST', 'draft-orders', {
    email,
    region_id: regionId,
    sales_channel_id: salesChannelId,
    shipping_address: ADDRESS,
    billing_address: ADDRESS,
    items,
    shipping_methods: [{ name: 'Standard', shipping_option_id: shippingOptionId, amount: 4.9 }],
  })
  return (await admin('POST', `draft-orders/${draft.id}/convert-to-order`)).order
}

/** Records that an order was paid. @returns the payment */
export const payOrder = async ({ admin }: Medusa, orderId: string): Promise<Loose> => {
  const { order } = await admin('GET', `orders/${orderId}?fields=id,total`)
  const { payment_collection: collection } = await admin('POST', 'payment-collections', {
    order_id: orderId,
    amount: order.total,
  })
  const path = `payment-collections/${collection.id}/mark-as-paid`
  const paid = await admin('POST', path, { order_id: orderId })
  return (
    paid.payment_collection.payments?.[0] ??
    (await admin('GET', `orders/${orderId}?fields=id,*payment_collections.payments`)).order
      .payment_collections[0].payments[0]
  )
}

/** Packs all lines of an order. @returns the fulfillment */
export const fulfillOrder = async (
  { admin }: Medusa,
  { locationId }: Shop,
  orderId: string,
): Promise<Loose> => {
  const { order } = await admin('GET', `orders/${orderId}?fields=id,*items`)
  const items = order.items.map(({ id, quantity }: Loose) => ({ id, quantity }))
  await admin('POST', `orders/${orderId}/fulfillments`, { items, location_id: locationId })
  const { order: packed } = await admin('GET', `orders/${orderId}?fields=id,*fulfillments`)
  return packed.fulfillments.at(-1)
}
