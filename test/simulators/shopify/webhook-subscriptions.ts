/** Webhook subscriptions that an app creates through the API. */
import { type Context, mutation, type Resolvers } from './context.ts'
import { refuse } from './errors.ts'
import { connectListing, type ListArguments, subscriptionListing } from './listings.ts'
import type { Entry, WebhookSubscription } from './records.ts'
import { isSentTopic } from './webhooks.ts'

interface CreateArguments {
  readonly topic: string
  readonly webhookSubscription: {
    readonly uri?: string | null
    readonly callbackUrl?: string | null
    readonly format?: string | null
    readonly includeFields?: readonly string[] | null
  }
}

const FIELD = 'webhookSubscription.callbackUrl'

/** Unlike the vendor, the simulator accepts loopback addresses without TLS. */
const isAcceptable = (uri: string): boolean =>
  URL.canParse(uri) && /^https:$|^http:$/.test(new URL(uri).protocol)

/** An app sees its own subscriptions; the vendor deletes those whose deliveries fail. */
export const isVisible =
  ({ client, webhooks }: Pick<Context, 'client' | 'webhooks'>) =>
  ({ id, value }: Entry<WebhookSubscription>): boolean =>
    value.clientId === client.clientId && webhooks.subscriptions.has(id)

const create = (
  { topic, webhookSubscription: input }: CreateArguments,
  context: Context,
): object => {
  const { shop, client, webhooks } = context
  const { callbackUrl, format, includeFields } = input
  if (!isSentTopic(topic)) throw new Error(`The simulator does not send ${topic}`)
  const uri = input.uri ?? callbackUrl ?? ''
  if (!isAcceptable(uri)) return refuse(FIELD, 'Address is invalid')
  const own = shop.WebhookSubscription.list().filter(isVisible(context))
  if (own.some(({ value }) => value.topic === topic && value.uri === uri))
    refuse(FIELD, 'Address for this topic has already been taken')
  const subscription = shop.WebhookSubscription.insert(shop.nextId('WebhookSubscription'), {
    clientId: client.clientId,
    topic,
    uri,
    format: format ?? 'JSON',
    includeFields: includeFields ?? [],
  })
  const { id } = subscription
  const accountId = shop.account.id
  webhooks.subscribe({
    id,
    url: uri,
    secret: client.clientSecret,
    accountId,
    topics: [topic],
    ...(includeFields && { fields: includeFields }),
  })
  return { webhookSubscription: subscription }
}

const remove = ({ id }: { readonly id: string }, context: Context): object => {
  const { shop, webhooks } = context
  const found = shop.WebhookSubscription.find(id)
  if (!found || !isVisible(context)(found)) refuse('id', 'Webhook subscription does not exist')
  shop.WebhookSubscription.remove(id)
  webhooks.unsubscribe(id)
  return { deletedWebhookSubscriptionId: id }
}

interface SubscriptionArguments extends ListArguments {
  readonly topics?: readonly string[] | null
  readonly uri?: string | null
  readonly callbackUrl?: string | null
  readonly format?: string | null
}

export const listSubscriptions = (
  { topics, uri, callbackUrl, format, ...args }: SubscriptionArguments,
  context: Context,
): object =>
  connectListing(subscriptionListing, args, context, (entry) => {
    const { value } = entry
    const address = uri ?? callbackUrl ?? value.uri
    const isWanted = (topics?.includes(value.topic) ?? true) && value.uri === address
    return isWanted && (format ?? value.format) === value.format && isVisible(context)(entry)
  })

export const subscriptionResolvers: Resolvers = {
  WebhookSubscription: {
    apiVersion: () => ({ displayName: '2026-07', handle: '2026-07', supported: true }),
    callbackUrl: ({ value }: Entry<WebhookSubscription>) => value.uri,
    endpoint: ({ value }: Entry<WebhookSubscription>) => ({
      type: 'WebhookHttpEndpoint',
      callbackUrl: value.uri,
    }),
    metafieldNamespaces: () => [],
  },
  Mutation: {
    webhookSubscriptionCreate: mutation(create),
    webhookSubscriptionDelete: mutation(remove),
  },
}
