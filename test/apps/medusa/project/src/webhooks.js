// Reports changes of records to subscribed addresses: signed by Standard Webhooks, the record by its id only. The
// subscriptions are kept in memory; a shop would store them.
const { createHmac, randomUUID } = require('node:crypto')
const { setTimeout: wait } = require('node:timers/promises')

const PAUSES_MS = [0, 1000, 5000]

/** The subscriptions, by id: `{ id, url, secret }`, the secret as `whsec_` and the key in base64. */
const webhooks = new Map()

const sign = (secret, content) =>
  createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(content)
    .digest('base64')

const deliver = async ({ id: webhookId, url, secret }, type, id) => {
  const messageId = `msg_${randomUUID()}`
  const body = JSON.stringify({ type, timestamp: new Date().toISOString(), data: { id } })
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

/** Reports a record as `customer.changed`, `product.deleted` and so on. */
const report = (type, id) => {
  for (const webhook of webhooks.values()) void deliver(webhook, type, id)
}

module.exports = { webhooks, report }
