const { webhooks } = require('../../../../webhooks')

exports.DELETE = ({ params: { id } }, response) => {
  response.json({ id, object: 'webhook', deleted: webhooks.delete(id) })
}
