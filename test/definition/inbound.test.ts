/** The definition of webhooks: which combinations are accepted and which are rejected. */
import { expect, test } from 'vitest'
import {
  checkWebhooks,
  type WebhookSubscriptions,
  type Webhooks,
} from '../../src/definition/inbound.ts'

const shared: Webhooks = {
  scope: 'app',
  topics: ['crm/accounts'],
  signature: { type: 'standardWebhooks' },
  secret: { from: 'oauthClient' },
  company: 'realmId',
  events: () => [],
}

const subscription: WebhookSubscriptions = {
  *create() {
    yield { method: 'POST', path: '/webhooks' }
    return { ids: [] }
  },
  *delete() {
    yield { method: 'DELETE', path: '/webhooks' }
  },
}

const check = (webhooks: Webhooks) => () => checkWebhooks('test', webhooks, ['crm/accounts'])

test('a consistent definition of webhooks is accepted', () => {
  expect(check(shared)).not.toThrow()
  const byHand: Webhooks = {
    ...shared,
    scope: 'credential',
    secret: { from: 'credential', value: 'key' },
  }
  expect(check(byHand)).not.toThrow()
})

test.each<[string, Webhooks, string]>([
  ['a topic without a resource', { ...shared, topics: ['crm/leads'] }, 'no resource crm/leads'],
  [
    'a shared address with the secret of a subscription',
    { ...shared, secret: { from: 'subscription' } },
    'needs the secret of the OAuth client',
  ],
  [
    'a shared address without a company',
    {
      scope: 'app',
      topics: [],
      signature: shared.signature,
      secret: shared.secret,
      events: shared.events,
    },
    'needs the value of the company',
  ],
  [
    'a shared address with subscriptions',
    {
      ...shared,
      subscription,
    },
    'entered by hand',
  ],
  [
    'the secret of a subscription that nothing creates',
    { ...shared, scope: 'credential', secret: { from: 'subscription' } },
    'no secret is made',
  ],
])('%s is rejected with the name of the app', (_name, webhooks, problem) => {
  expect(check(webhooks)).toThrow(TypeError)
  expect(check(webhooks)).toThrow('The webhooks of test: ')
  expect(check(webhooks)).toThrow(problem)
})
