/** Failures, the budget and the settings of a shop, and webhooks. */
import { connector } from '../../../src/connectors/shopify/manifest.ts'
import { valuesOf } from '../../../src/definition/raw-values.ts'
import { isSigned } from '../../../src/inbound/verify-signature.ts'
import type { WebhookMessage } from '../../simulators/engine/webhooks.ts'
import type { Traffic } from '../field-mutations.ts'
import { globalId } from './harness.ts'
import { CUSTOMER, FULFILLMENT, fill, ORDER, PRODUCT, type ShopifyCase } from './records.ts'

const throttleStatus = { maximumAvailable: 2000, currentlyAvailable: 150, restoreRate: 100 }

const facts: readonly ShopifyCase[] = [
  {
    name: 'failures that have no mutation',
    run: async (_, { received }) => {
      const read = (status: number, body: object) =>
        connector.readFailure(
          { status, headers: {}, body: received(body) },
          { method: 'POST', path: '/' },
        )
      const cost = { requestedQueryCost: 400, actualQueryCost: null, throttleStatus }
      const throttled = [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }]
      const problems = [{ path: ['email'], explanation: 'Expected a value' }]
      const invalid = { code: 'INVALID_VARIABLE', problems }
      return [
        read(401, { errors: '[API] Invalid API key or access token' }),
        read(200, { errors: throttled, extensions: { cost } }),
        read(200, { errors: [{ message: 'Not valid', extensions: invalid }] }),
      ]
    },
    expected: [
      { kind: 'authentication', reason: '[API] Invalid API key or access token' },
      { kind: 'rate-limited', reason: 'THROTTLED: Throttled', limit: 'points', retryAfterMs: 2500 },
      { kind: 'refused', reason: 'INVALID_VARIABLE: Not valid', field: 'email' },
    ],
  },
  {
    name: 'a user error with and without a code',
    run: async (_, { received }) => {
      const read = (userErrors: readonly object[]) =>
        connector.readFailure(
          { status: 200, headers: {}, body: received({ data: { orderCreate: { userErrors } } }) },
          { method: 'POST', path: '/' },
        )
      return [
        read([{ field: ['order', 'email'], message: 'Email is invalid', code: 'INVALID' }]),
        read([{ field: ['trackingInfoInput', 'urls'], message: 'Url is invalid' }]),
      ]
    },
    expected: [
      { kind: 'refused', reason: 'INVALID: Email is invalid', field: 'email' },
      { kind: 'refused', reason: 'Url is invalid', field: 'trackingInfo.urls' },
    ],
  },
  {
    name: 'the shop, its context, its name and its points',
    run: async ({ sendRequest, readContext }) => {
      const response = await sendRequest(connector.check)
      return {
        account: connector.readAccountName?.(response),
        context: await readContext(),
        usage: connector.limits?.readUsage?.(response),
      }
    },
    expected: {
      account: 'Acme',
      context: { currency: 'EUR', timeZone: 'America/Phoenix' },
      usage: { cost: 1, limits: { points: { max: 2000, remaining: 2000, resetMs: 0 } } },
    },
  },
  {
    name: 'the points of a shop that has used some',
    run: async (_, { received }) => {
      const cost = { requestedQueryCost: 900, actualQueryCost: 120, throttleStatus }
      const body = received({ data: {}, extensions: { cost } })
      return connector.limits?.readUsage?.({ status: 200, headers: {}, body })
    },
    expected: { cost: 120, limits: { points: { max: 2000, remaining: 150, resetMs: 9250 } } },
  },
]

// Connections to this port are refused, so a delivery fails at once.
const ADDRESS = 'http://127.0.0.1:1/events'

const hooks = connector.webhooks
if (!hooks?.subscription?.list) throw new Error('The connector has no subscriptions.')
const { create: subscribe, list: listSubscriptions, delete: unsubscribe } = hooks.subscription
const target = { address: ADDRESS, secret: '' }

/** A delivery of the simulator, as the service verifies and reads it. */
const receive = ({ headers, body }: WebhookMessage, { received }: Traffic, nowMs: number) => {
  const passed = received({ headers, body: JSON.parse(body) })
  const delivery = {
    method: 'POST',
    url: ADDRESS,
    headers: passed.headers,
    body: Buffer.from(body),
  }
  const secrets = ['client-secret']
  const isVerified = isSigned(hooks.signature, delivery, passed.body, { secrets, nowMs })
  const hasId = passed.headers[String(hooks.deliveryId)] !== undefined
  return hooks
    .events(passed)
    .map(({ topic, remoteId, kind, company }) =>
      [topic, remoteId, kind, company, isVerified, hasId].join(' '),
    )
}

const webhooks: readonly ShopifyCase[] = [
  {
    name: 'subscriptions, deliveries and their events',
    run: async (harness, traffic) => {
      const { simulator, run } = harness
      const { ids } = valuesOf(await run(subscribe(target)))
      const listed = await run(listSubscriptions())
      const fields = [...simulator.webhooks.subscriptions.values()].map((event) => event.fields)
      await fill(harness)
      await harness.remove('orders', ORDER)
      await simulator.webhooks.deliver()
      const events = simulator.webhooks.deliveries.flatMap(({ message }) =>
        receive(message, traffic, simulator.clock.nowMs()),
      )
      for (const { id } of listed) await run(unsubscribe(id))
      return {
        isListed: listed.map(({ id }) => id).join() === String(ids),
        addresses: [...new Set(listed.map(({ address: at }) => at))],
        fields: [fields[0], fields[2]],
        events: [...new Set(events)],
        left: (await run(listSubscriptions())).length,
      }
    },
    expected: {
      isListed: true,
      addresses: [ADDRESS],
      fields: [['id', 'admin_graphql_api_id'], undefined],
      events: [
        `commerce/customers ${CUSTOMER} changed acme true true`,
        `commerce/products ${PRODUCT} changed acme true true`,
        `commerce/orders ${ORDER} changed acme true true`,
        `commerce/fulfillments ${FULFILLMENT} changed acme true true`,
        `commerce/orders ${ORDER} deleted acme true true`,
      ],
      left: 0,
    },
  },
  {
    name: 'a delivery that names the record by its global id alone',
    run: async (_, { received }) => {
      const headers = {
        'x-shopify-topic': 'orders/updated',
        'x-shopify-shop-domain': 'acme.myshopify.com',
      }
      return hooks.events(received({ headers, body: { admin_graphql_api_id: ORDER } }))
    },
    expected: [{ topic: 'commerce/orders', remoteId: ORDER, kind: 'changed', company: 'acme' }],
  },
  {
    name: 'a subscription that exists, and one that does not',
    run: async ({ run, failureOf }) => {
      await run(subscribe(target))
      const missing = unsubscribe(globalId('WebhookSubscription', 99))
      return [
        await failureOf('orders', run(subscribe(target))),
        await failureOf('orders', run(missing)),
      ]
    },
    expected: [
      { kind: 'refused', reason: 'Address for this topic has already been taken' },
      { kind: 'absent', reason: 'Webhook subscription does not exist' },
    ],
  },
  {
    name: 'the second page of subscriptions',
    run: async ({ runWith: play }) => {
      const page = (id: string, endCursor: string | null) => ({
        webhookSubscriptions: {
          nodes: [{ id, uri: ADDRESS }],
          pageInfo: { hasNextPage: endCursor !== null, endCursor },
        },
      })
      return play(listSubscriptions(), [page('a', 'x'), page('b', null)])
    },
    expected: {
      sent: [{ after: null }, { after: 'x' }],
      result: [
        { id: 'a', address: ADDRESS },
        { id: 'b', address: ADDRESS },
      ],
    },
  },
]

export const responses: readonly ShopifyCase[] = [...facts, ...webhooks]
