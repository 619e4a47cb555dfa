// A plugin that reports changes of records to subscribed addresses: signed by Standard Webhooks, the record by its id
// only. The subscriptions are kept in memory, as everything in this shop; a real plugin stores them as an entity.
import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Inject } from '@nestjs/common'
import { Args, Mutation, Query, Resolver } from '@nestjs/graphql'
import * as vendure from '@vendure/core'
import { parse } from 'graphql'

const PAUSES_MS = [0, 1000, 5000]

const manageWebhooks = new vendure.PermissionDefinition({
  name: 'ManageWebhooks',
  description: 'Subscribe to changes of records',
})

const schema = parse(`
  type Webhook { id: ID! url: String! }
  extend type Query { webhooks: [Webhook!]! }
  extend type Mutation {
    "The secret is whsec_ and the key in base64."
    createWebhook(url: String!, secret: String!): Webhook!
    deleteWebhook(id: ID!): Boolean!
  }
`)

/** The subscriptions, by id. */
const webhooks = new Map()
let lastId = 0

class WebhookResolver {
  webhooks() {
    return [...webhooks.values()]
  }
  createWebhook({ url, secret }) {
    const webhook = { id: String(++lastId), url, secret }
    webhooks.set(webhook.id, webhook)
    return webhook
  }
  deleteWebhook({ id }) {
    // Vendure decodes ids to numbers.
    return webhooks.delete(String(id))
  }
}

/** Applies decorators without a compiler. */
const decorate = (name, decorators) => {
  const { prototype } = WebhookResolver
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name)
  for (const one of [...decorators, vendure.Allow(manageWebhooks.Permission)])
    one(prototype, name, descriptor)
}
Resolver()(WebhookResolver)
decorate('webhooks', [Query()])
for (const name of ['createWebhook', 'deleteWebhook']) {
  Args()(WebhookResolver.prototype, name, 0)
  decorate(name, [Mutation()])
}

const sign = (secret, content) =>
  createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(content)
    .digest('base64')

const deliver = async ({ id: webhookId, url, secret }, type, id) => {
  const messageId = `msg_${randomUUID()}`
  const body = JSON.stringify({
    type,
    timestamp: new Date().toISOString(),
    data: { id: String(id) },
  })
  for (const pauseMs of PAUSES_MS) {
    await wait(pauseMs)
    const timestamp = String(Math.floor(Date.now() / 1000))
    const headers = {
      'content-type': 'application/json',
      'webhook-id': messageId,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${sign(secret, `${messageId}.${timestamp}.${body}`)}`,
    }
    const signal = AbortSignal.timeout(10_000)
    const response = await fetch(url, { method: 'POST', headers, body, signal }).catch(() => {})
    if (response?.ok) return
    // Standard Webhooks: the receiver is gone for good.
    if (response?.status === 410) return void webhooks.delete(webhookId)
  }
}

const report = (type, id) => {
  for (const webhook of webhooks.values()) void deliver(webhook, type, id)
}

const kindOf = (type) => (type === 'deleted' ? 'deleted' : 'changed')

const productsOf = (variants) =>
  [...new Set(variants.map(({ productId }) => productId))].map((id) => ['product.changed', id])

/** The changes that an event of Vendure reports, as pairs of type and id. */
const changesOf = [
  [vendure.ProductEvent, ({ entity, type }) => [[`product.${kindOf(type)}`, entity.id]]],
  [vendure.ProductVariantEvent, ({ entity }) => productsOf(entity)],
  [
    vendure.StockMovementEvent,
    async ({ stockMovements }, connection) => {
      const variants = connection.getRepository(vendure.ProductVariant)
      const ids = stockMovements.map(({ productVariant }) => productVariant.id)
      return productsOf(await Promise.all(ids.map((id) => variants.findOneByOrFail({ id }))))
    },
  ],
  [vendure.CustomerEvent, ({ entity, type }) => [[`customer.${kindOf(type)}`, entity.id]]],
  [vendure.OrderPlacedEvent, ({ order }) => [['order.changed', order.id]]],
  [vendure.OrderStateTransitionEvent, ({ order }) => [['order.changed', order.id]]],
  // A cart is no order yet.
  [vendure.OrderEvent, ({ entity }) => (entity.active ? [] : [['order.changed', entity.id]])],
  [vendure.PaymentStateTransitionEvent, ({ order }) => [['order.changed', order.id]]],
  [vendure.RefundEvent, ({ order }) => [['order.changed', order.id]]],
  [vendure.RefundStateTransitionEvent, ({ order }) => [['order.changed', order.id]]],
  // A note changes nothing else.
  [
    vendure.HistoryEntryEvent,
    ({ entity, historyType }) =>
      historyType === 'order' && entity.order ? [['order.changed', entity.order.id]] : [],
  ],
  [vendure.FulfillmentEvent, ({ entity }) => [['fulfillment.changed', entity.id]]],
  [
    vendure.FulfillmentStateTransitionEvent,
    ({ fulfillment }) => [['fulfillment.changed', fulfillment.id]],
  ],
]

export class WebhookPlugin {
  constructor(eventBus, connection) {
    this.eventBus = eventBus
    this.connection = connection
  }
  onApplicationBootstrap() {
    // Subscribers are called once the transaction of the event has been committed.
    for (const [type, changes] of changesOf)
      this.eventBus.ofType(type).subscribe(async (event) => {
        const { rawConnection } = this.connection
        for (const [name, id] of await changes(event, rawConnection)) report(name, id)
      })
  }
}
Inject(vendure.EventBus)(WebhookPlugin, undefined, 0)
Inject(vendure.TransactionalConnection)(WebhookPlugin, undefined, 1)
vendure.VendurePlugin({
  imports: [vendure.PluginCommonModule],
  adminApiExtensions: { schema, resolvers: [WebhookResolver] },
  configuration: (config) => {
    config.authOptions.customPermissions.push(manageWebhooks)
    return config
  },
  compatibility: '^3.6.0',
})(WebhookPlugin)
