/**
 * Records the real Vendure's responses to the connector's own requests and to rejected ones:
 * `node test/connectors/vendure/record.ts`. The mapping test reads the files; record them again when the
 * connector requests other fields, and for a new version of Vendure.
 */
import { writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { connector } from '../../../src/connectors/vendure/manifest.ts'
import { shop } from '../../../src/connectors/vendure/shop.ts'
import type { AppRequest } from '../../../src/definition/connector.ts'
import { fixtureText, type RecordedResponse, recordListing } from '../../../tools/app-kit/record.ts'
import { act } from '../../apps/vendure/act.ts'
import { fillCart, placeOrder } from '../../apps/vendure/checkout.ts'
import {
  addNote,
  cancelOrder,
  createCoupon,
  fulfillOrder,
  refundPayment,
  setFulfillmentState,
} from '../../apps/vendure/orders.ts'
import {
  createCustomer,
  createProduct,
  updateProduct,
  updateVariant,
} from '../../apps/vendure/shop.ts'
import { startVendure } from '../../apps/vendure/start.ts'
import type { Order } from '../../apps/vendure/state.ts'
import { driveSteps } from '../../support/steps.ts'

const vendure = await startVendure()

const post = async (
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<RecordedResponse> => {
  const response = await fetch(vendure.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'vendure-api-key': vendure.apiKey,
      ...headers,
    },
    body,
  })
  const text = await response.text()
  // Vendure's stack traces contain paths of this machine.
  const parsed: unknown = JSON.parse(text, (key, value) =>
    key === 'stacktrace' ? undefined : value,
  )
  return { status: response.status, body: parsed }
}

const send = ({ path, body }: AppRequest): Promise<RecordedResponse> =>
  post(path, JSON.stringify(body))

const write = (name: string, value: unknown): void =>
  writeFileSync(
    new URL(`../fixtures/vendure/${name}.json`, import.meta.url),
    fixtureText(value, [vendure.apiKey]),
  )

const mutate = (mutation: string, variables: Readonly<Record<string, unknown>> = {}) =>
  act<{ readonly id: string }>(vendure, mutation, variables)

/** Fills a shop. @returns a function that makes later changes, visible only in a listing of changes */
const fillShop = async (): Promise<() => Promise<void>> => {
  const lamp = await createProduct(vendure, {
    name: 'Lamp',
    description: '<p>Bright.</p>',
    variants: [
      { sku: 'LAMP-S', price: 1000, stockOnHand: 50, options: { Size: 'S' } },
      { sku: 'LAMP-L', price: 1999, stockOnHand: 50, options: { Size: 'L' } },
    ],
  })
  const [small, large] = lamp.variants
  if (!small || !large) throw new Error('the lamp lacks its variants')
  const translationOf = (code: string, name: string) => ({
    code,
    isPrivate: false,
    translations: [{ languageCode: 'en', name }],
  })
  const { values } = await act<{ readonly values: readonly { readonly id: string }[] }>(
    vendure,
    'mutation ($input: CreateFacetInput!) { createFacet(input: $input) { id values { id } } }',
    {
      input: {
        ...translationOf('style', 'Style'),
        values: [{ code: 'modern', translations: [{ languageCode: 'en', name: 'Modern' }] }],
      },
    },
  )
  await mutate('mutation ($input: UpdateProductInput!) { updateProduct(input: $input) { id } }', {
    input: { id: lamp.id, facetValueIds: values.map(({ id }) => id) },
  })
  await mutate(
    'mutation ($input: UpdateProductVariantInput!) { updateProductVariant(input: $input) { id } }',
    {
      input: {
        id: large.id,
        trackInventory: 'FALSE',
        prices: [{ currencyCode: 'JPY', price: 300_000 }],
      },
    },
  )
  const bare = await createProduct(vendure, { name: 'Chair', variants: [] }).catch(() => undefined)
  if (bare) await updateProduct(vendure, bare.id, { enabled: false })

  await createCustomer(vendure, {
    title: 'Dr',
    firstName: 'Emmy',
    lastName: 'Noether',
    emailAddress: 'emmy@example.org',
    phoneNumber: '+49 421 1',
  })
  const guest = { firstName: 'Sofja', lastName: 'Kowalewskaja', emailAddress: 'sofja@example.org' }
  const lines = [
    { variantId: small.id, quantity: 2 },
    { variantId: large.id, quantity: 3 },
  ]
  await fillCart(vendure, lines)

  await createCoupon(vendure, 'TENTH', 10)
  const partly = await placeOrder(vendure, {
    customer: guest,
    lines,
    couponCode: 'TENTH',
    payment: 'invoice',
    shippingAddress: {
      fullName: 'Sofja Wassiljewna Kowalewskaja',
      streetLine1: 'Sveavägen 1',
      streetLine2: '2 tr',
      city: 'Stockholm',
      province: 'Uppland',
      postalCode: '111 57',
      countryCode: 'FR',
      phoneNumber: '+46 8 1',
    },
    billingAddress: { fullName: 'Kowalewskaja', streetLine1: 'Box 1', countryCode: 'DE' },
  })
  await fulfillOrder(vendure, partly, {
    trackingCode: 'T-1',
    method: 'DHL',
    lines: [{ orderLineId: partly.lines[0]?.id ?? '', quantity: 2 }],
  })
  await addNote(vendure, partly.id, 'call before delivery')

  const buy = (): Promise<Order> => placeOrder(vendure, { customer: guest, lines })
  await cancelOrder(vendure, (await buy()).id)

  const delivered = await buy()
  const shipment = await fulfillOrder(vendure, delivered, { trackingCode: '', method: 'Post' })
  return async () => {
    await updateVariant(vendure, small.id, { price: 1100 })
    await setFulfillmentState(vendure, shipment.id, 'Delivered')
    await refundPayment(vendure, delivered.payments[0]?.id ?? '', 1000)
  }
}

const recordFailures = async () => {
  const bodyOf = (query: string) => JSON.stringify({ query })
  const admin = '/admin-api'
  return {
    'a wrong key': await post(admin, bodyOf('{ orders { totalItems } }'), {
      'vendure-api-key': 'wrong',
    }),
    'a page that is too large': await post(
      admin,
      bodyOf('{ orders(options: { take: 1001 }) { totalItems } }'),
    ),
    'an unknown field': await post(admin, bodyOf('{ orders { nonsense } }')),
    'no GraphQL': await post(admin, bodyOf('{ orders')),
    'a bad variable': await post(
      admin,
      JSON.stringify({
        query: 'query ($options: OrderListOptions) { orders(options: $options) { totalItems } }',
        variables: { options: { take: 'many' } },
      }),
    ),
    'a batch': await post(admin, `[${bodyOf('{ orders { totalItems } }')}]`),
    'no JSON': await post(admin, '{'),
    'a wrong path': await post('/nowhere', bodyOf('{ orders { totalItems } }')),
    'a body over 100 kB': await post(
      admin,
      JSON.stringify({ query: '{ orders { totalItems } }', padding: 'x'.repeat(110_000) }),
    ),
    'an unknown record in a mutation': await post(
      admin,
      bodyOf('mutation { updateCustomer(input: { id: "999" }) { __typename } }'),
    ),
    'a rule of the domain': await post(
      admin,
      bodyOf(
        'mutation { transitionOrderToState(id: "1", state: "Delivered") { __typename ... on ErrorResult { errorCode message } } }',
      ),
    ),
    'a price in a currency that a variant has none in': await post(
      `${admin}?currencyCode=JPY`,
      bodyOf('{ productVariants { items { price } } }'),
    ),
    // Last: with a second channel, an unknown token no longer selects the default one.
    'an unknown channel': await (async () => {
      const { id: sellerId } = await mutate(
        'mutation { createSeller(input: { name: "Second" }) { id } }',
      )
      const zones = await vendure.admin<{ zones: { items: { id: string }[] } }>(
        '{ zones { items { id } } }',
      )
      const zone = zones.zones.items[0]?.id
      await mutate(
        `mutation ($input: CreateChannelInput!) {
          createChannel(input: $input) { ... on Channel { id } ... on ErrorResult { errorCode message } }
        }`,
        {
          input: {
            code: 'second',
            token: 'second',
            sellerId,
            pricesIncludeTax: false,
            defaultLanguageCode: 'en',
            defaultCurrencyCode: 'EUR',
            defaultTaxZoneId: zone,
            defaultShippingZoneId: zone,
          },
        },
      )
      return post(admin, bodyOf('{ orders { totalItems } }'), { 'vendure-token': 'nowhere' })
    })(),
    'a channel that the key was not made in': await post(
      admin,
      bodyOf('{ orders { totalItems } }'),
      {
        'vendure-token': 'second',
      },
    ),
  }
}

try {
  const changeShop = await fillShop()
  // Vendure on SQLite keeps whole seconds: changes after `since` must be in a later second.
  await wait(1000)
  const since = new Date(Math.floor(Date.now() / 1000) * 1000 - 1).toISOString()
  await changeShop()
  const context = await driveSteps(shop.read(), async (request) => ({
    headers: {},
    ...(await send(request)),
  }))
  write('context', context)
  for (const [topic, resource] of Object.entries(connector.resources)) {
    const name = topic.slice('commerce/'.length)
    write(name, { pages: await recordListing(resource, send, { context }) })
    write(`${name}-changes`, {
      since,
      pages: await recordListing(resource, send, { since, context }),
    })
  }
  write('failures', await recordFailures())
} finally {
  await vendure.stop()
}
