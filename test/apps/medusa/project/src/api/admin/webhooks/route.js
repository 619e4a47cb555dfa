const { randomUUID } = require('node:crypto')
const { webhooks } = require('../../../webhooks')

const presentWebhook = ({ id, url }) => ({ id, url })

exports.GET = (_request, response) => {
  response.json({ webhooks: [...webhooks.values()].map(presentWebhook) })
}

exports.POST = ({ body: { url, secret } }, response) => {
  const webhook = { id: randomUUID(), url, secret }
  webhooks.set(webhook.id, webhook)
  response.json({ webhook: presentWebhook(webhook) })
}
