/** Webhook deliveries: attempts, status, tests, replays and secret rotation. */
import {
  boolean,
  defineShape,
  integer,
  list,
  object,
  text,
  timestamp,
} from '../../definition/field.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import { decodeChangeCursor } from '../../query/change-cursor.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, parsePageSize } from '../../query/list-request.ts'
import { pageOf } from '../../query/listed.ts'
import { rotateWebhookSecret } from '../../store/secrets/webhook-secrets.ts'
import { listAttempts, pageAttempts } from '../../store/webhooks/webhook-attempts.ts'
import { readDeliveryStatus } from '../../store/webhooks/webhook-history.ts'
import {
  type ReplayRange,
  requestReplay,
  requestTest,
} from '../../store/webhooks/webhook-replays.ts'
import { findWebhook, type StoredSubscription } from '../../store/webhooks/webhooks.ts'
import { type CallContext, defineOperation, required } from '../operation.ts'
import {
  EXAMPLE_WEBHOOK,
  isOrdered,
  noSubscription,
  PATH,
  payload,
  subscriptionId,
  webhookTag,
} from './webhooks.ts'

const EXAMPLE_MESSAGE = 'msg_p5jXN8AQM9LWM0D4loKWxJek0aT1zQ5R'
const EXAMPLE_CURSOR = 'MS4wLjEyMzQuNTY'

const cursor = text('The cursor of a change, from `data.cursor` of a message.')
const messageId = text('The `webhook-id` of a message.')

export const attempt = defineShape({
  name: 'WebhookAttempt',
  doc: 'One attempt to send a message, and its outcome. Attempts are kept for 30 days.',
  fields: {
    attemptId: required(text('The id of the attempt.')),
    messageId: required(text('The `webhook-id` of the message, the same at every attempt.')),
    topic: required(text('The topic; `webhook/test` for a test.')),
    cursor: text('The cursor of the change; null for a test.'),
    attempt: required(integer('1 for the first attempt, 2 for the second.')),
    at: required(timestamp('When the attempt started.')),
    latencyMs: required(integer('Time until the whole response was received, in milliseconds.')),
    succeeded: required(boolean('Whether the endpoint responded with 2xx.')),
    status: integer('The HTTP status of the response; null without a response.'),
    failure: text('Why no response was received.'),
    answer: text('The first 512 characters of the response body.'),
  },
})

const exampleAttempt = {
  attemptId: '7301-12',
  messageId: EXAMPLE_MESSAGE,
  topic: 'accounting/vendors',
  cursor: EXAMPLE_CURSOR,
  attempt: 1,
  at: '2026-03-02T09:30:00.000Z',
  latencyMs: 42,
  succeeded: true,
  status: 204,
  failure: null,
  answer: '',
}

const status = defineShape({
  name: 'WebhookDeliveryStatus',
  doc: 'The delivery status of a subscription.',
  fields: {
    subscriptionId,
    payload,
    isOrdered: required(isOrdered),
    cursor: text('All changes before this cursor have been sent or wait for their next attempt.'),
    waiting: required(integer('Messages that wait for their next attempt.')),
    replays: required(integer('Replays in progress.')),
    failures: required(integer('Failed attempts since the last success.')),
    failingSince: timestamp('When the first of these failures happened.'),
    pausedUntil: timestamp(
      'No messages are sent before this time, because the endpoint responded with Retry-After.',
    ),
    missedUntil: timestamp(
      'Changes up to this time were deleted from the change log before they could be sent. Read the records again. Null: no change was missed.',
    ),
    disabledReason: text('Why the service disabled the subscription; null if it did not.'),
  },
})

/** The subscription of the caller's environment. @throws NOT_FOUND */
const requireWebhook = async (
  { database, caller }: CallContext,
  id: string,
): Promise<StoredSubscription> => {
  const webhook = await findWebhook(database, caller.environmentId, id)
  if (webhook === undefined) throw noSubscription()
  return webhook
}

interface ReplayInput {
  readonly messageId?: string | null | undefined
  readonly from?: string | null | undefined
  readonly to?: string | null | undefined
  readonly cursor?: string | null | undefined
}

/** The messages to replay. @throws INVALID_PARAMETER, INVALID_CURSOR */
const readRange = ({ messageId, from, to, cursor }: ReplayInput): ReplayRange => {
  const isOfTime = from != null || to != null
  if ([messageId != null, isOfTime, cursor != null].filter(Boolean).length !== 1)
    throw invalidParameter('messageId', 'exactly one of messageId, from with to, and cursor')
  if (messageId != null) return { messageId }
  if (cursor != null) return { after: decodeChangeCursor(cursor, 'cursor') }
  if (from == null) throw invalidParameter('from', 'a value (with to)')
  if (to == null) throw invalidParameter('to', 'a value (with from)')
  const range = { from: new Date(from), to: new Date(to) }
  if (range.to < range.from) throw invalidParameter('to', 'a time that is not before from')
  return range
}

export const webhookDeliveryOperations = [
  defineOperation({
    name: 'rotateWebhookSecret',
    summary: 'Rotate the signing secret of a webhook subscription',
    doc: 'Creates a new signing secret for a subscription. For 24 hours, messages are signed with both secrets.',
    tag: webhookTag,
    rest: { method: 'POST', path: `${PATH}/:subscriptionId/secret` },
    callers: ['key'],
    path: { subscriptionId },
    response: { key: 'secret', value: text('The new secret: `whsec_` and the secret in base64.') },
    errors: ['NOT_FOUND'],
    example: {
      input: { subscriptionId: EXAMPLE_WEBHOOK },
      result: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
    },
    run: async ({ database, vault, caller }, { subscriptionId: id }) => {
      const secret = await rotateWebhookSecret(database, vault, caller.environmentId, id)
      if (secret === undefined) throw noSubscription()
      return secret
    },
  }),
  defineOperation({
    name: 'testWebhook',
    summary: 'Send a test message',
    doc: 'Sends a message of the type `webhook/test` to the address of a subscription. `GET …/attempts` returns the outcome.',
    tag: webhookTag,
    rest: { method: 'POST', path: `${PATH}/:subscriptionId/test` },
    callers: ['key'],
    path: { subscriptionId },
    response: { key: 'messageId', value: text('The `webhook-id` of the message.') },
    errors: ['NOT_FOUND', 'NOT_SUPPORTED'],
    example: { input: { subscriptionId: EXAMPLE_WEBHOOK }, result: EXAMPLE_MESSAGE },
    run: async (context, input) => {
      const webhook = await requireWebhook(context, input.subscriptionId)
      if (!webhook.isEnabled)
        throw new ApiError(
          'NOT_SUPPORTED',
          'The subscription is disabled. Enable it (isEnabled: true) before sending a test.',
        )
      return requestTest(context.database, webhook.subscriptionId)
    },
  }),
  defineOperation({
    name: 'webhookAttempts',
    summary: 'List the delivery attempts of a webhook subscription',
    doc: 'Returns the attempts to send messages to a subscription, newest first.',
    tag: webhookTag,
    rest: { method: 'GET', path: `${PATH}/:subscriptionId/attempts` },
    callers: ['key'],
    path: { subscriptionId },
    query: {
      messageId,
      cursor: text('The `nextCursor` of the previous page.'),
      pageSize: integer(`Page size, 1 to ${MAX_PAGE_SIZE}. The default is ${DEFAULT_PAGE_SIZE}.`),
    },
    response: {
      value: object(
        defineShape({
          name: 'WebhookAttemptPage',
          doc: 'A page of attempts.',
          fields: {
            attempts: list(attempt, 'The attempts.'),
            nextCursor: text('The cursor of the next page; null on the last page.'),
          },
        }),
        'The page.',
      ),
    },
    errors: ['NOT_FOUND', 'INVALID_CURSOR'],
    example: {
      input: { subscriptionId: EXAMPLE_WEBHOOK, pageSize: 1 },
      result: { attempts: [exampleAttempt], nextCursor: 'YTczMDEuMTI' },
    },
    run: async (context, input) => {
      const limit = parsePageSize(input.pageSize)
      const webhook = await requireWebhook(context, input.subscriptionId)
      const { attempts, nextCursor } = await listAttempts(context.database, {
        subscriptionId: webhook.subscriptionId,
        limit,
        messageId: input.messageId ?? undefined,
        cursor: input.cursor ?? undefined,
      })
      return { attempts, nextCursor }
    },
    connection: {
      entry: attempt,
      read: async (context, input, page) => {
        const { subscriptionId } = await requireWebhook(context, input.subscriptionId)
        const filter = {
          subscriptionIds: [subscriptionId],
          messageId: input.messageId ?? undefined,
        }
        const [listed] = await pageAttempts(context.database, filter, page)
        return listed ?? pageOf([], page)
      },
    },
  }),
  defineOperation({
    name: 'replayWebhook',
    summary: 'Replay webhook messages',
    doc: 'Sends messages again with their original ids: one message, those of a time range, or all after a cursor. Fails if the change log no longer contains the changes.',
    tag: webhookTag,
    rest: { method: 'POST', path: `${PATH}/:subscriptionId/replay` },
    callers: ['key'],
    path: { subscriptionId },
    body: {
      messageId,
      from: timestamp(
        'Start of the time range, within the retention of the change log. Requires `to`.',
      ),
      to: timestamp(
        'End of the time range. Requires `from`. A date alone means the end of that day in UTC.',
        { ofDay: 'last' },
      ),
      cursor,
    },
    response: { key: 'subscriptionId', value: subscriptionId },
    errors: ['NOT_FOUND', 'INVALID_CURSOR', 'CURSOR_EXPIRED'],
    example: {
      input: { subscriptionId: EXAMPLE_WEBHOOK, messageId: EXAMPLE_MESSAGE },
      result: EXAMPLE_WEBHOOK,
    },
    run: async (context, input) => {
      const { database, caller } = context
      const { subscriptionId: id } = await requireWebhook(context, input.subscriptionId)
      const owner = { environmentId: caller.environmentId, subscriptionId: id }
      if (await requestReplay(database, owner, readRange(input))) return id
      throw new ApiError(
        'NOT_FOUND',
        'No message has this messageId, or no change happened in this time range.',
      )
    },
  }),
  defineOperation({
    name: 'webhookStatus',
    summary: 'Get the delivery status of a webhook subscription',
    doc: 'Returns the delivery status of a subscription: its position in the change log, waiting messages and failures.',
    tag: webhookTag,
    rest: { method: 'GET', path: `${PATH}/:subscriptionId/status` },
    callers: ['key'],
    path: { subscriptionId },
    response: { key: 'status', value: object(status, 'The status.') },
    errors: ['NOT_FOUND'],
    example: {
      input: { subscriptionId: EXAMPLE_WEBHOOK },
      result: {
        subscriptionId: EXAMPLE_WEBHOOK,
        payload: '{ id vendorName }',
        isOrdered: false,
        cursor: EXAMPLE_CURSOR,
        waiting: 0,
        replays: 0,
        failures: 0,
        failingSince: null,
        pausedUntil: null,
        missedUntil: null,
        disabledReason: null,
      },
    },
    run: async (context, input) => {
      const webhook = await requireWebhook(context, input.subscriptionId)
      const deliveryStatus = await readDeliveryStatus(context.database, webhook.subscriptionId)
      if (deliveryStatus === null) throw noSubscription()
      return deliveryStatus
    },
  }),
]
