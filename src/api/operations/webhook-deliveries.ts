/** What was sent to a webhook subscription, and what is to be sent once more. */
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
import { listAttempts } from '../../store/webhook-attempts.ts'
import { readDeliveryStatus } from '../../store/webhook-history.ts'
import { type ReplayRange, requestReplay, requestTest } from '../../store/webhook-replays.ts'
import { rotateWebhookSecret } from '../../store/webhook-secrets.ts'
import { findWebhook, type WebhookSubscription } from '../../store/webhooks.ts'
import { defineOperation, type OperationContext, required } from '../operation.ts'
import {
  EXAMPLE_WEBHOOK,
  isOrdered,
  noSubscription,
  PATH,
  payload,
  subscriptionId,
  tag,
} from './webhooks.ts'

const EXAMPLE_MESSAGE = 'msg_p5jXN8AQM9LWM0D4loKWxJek0aT1zQ5R'
const EXAMPLE_CURSOR = 'MS4wLjEyMzQuNTY'

const cursor = text("A change's cursor, as `data.cursor` of a message holds it.")
const messageId = text('The `webhook-id` of a message.')

const attempt = defineShape({
  name: 'WebhookAttempt',
  doc: 'One attempt to send a message, and what came of it. Attempts are kept for 30 days.',
  fields: {
    attemptId: required(text('The attempt.')),
    messageId: required(text('The `webhook-id` of the message, the same at every attempt.')),
    topic: required(text('The topic; `webhook/test` for a test.')),
    cursor: text('The cursor of the change; null for a test.'),
    attempt: required(integer('1 for the first attempt, 2 for the second.')),
    at: required(timestamp('When it began.')),
    latencyMs: required(integer('From then until the whole answer was there, in milliseconds.')),
    succeeded: required(boolean('Whether the endpoint answered with 2xx.')),
    status: integer('The status of the answer; null if there was none.'),
    failure: text('Why there was no answer.'),
    answer: text("The first 512 characters of the answer's body."),
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
  doc: 'How the delivery to a subscription stands.',
  fields: {
    subscriptionId,
    payload,
    isOrdered: required(isOrdered),
    cursor: text('Every change before it was sent, or waits for its next attempt.'),
    waiting: required(integer('Messages that wait for their next attempt.')),
    replays: required(integer('Replays that are not over.')),
    failures: required(integer('Failed attempts since the last success.')),
    failingSince: timestamp('When the first of them was.'),
    pausedUntil: timestamp(
      'Until when nothing is sent: the endpoint asked for the pause (Retry-After).',
    ),
    missedUntil: timestamp(
      'The change log had forgotten changes until then before they were sent: read the records anew. Null: it never had.',
    ),
    disabledReason: text('Why the subscription was switched off, if the service did so.'),
  },
})

/** @throws NOT_FOUND */
const requireWebhook = async (
  { database, caller }: OperationContext,
  id: string,
): Promise<WebhookSubscription> => {
  const found = await findWebhook(database, caller.environmentId, id)
  if (found === undefined) throw noSubscription()
  return found
}

interface GivenRange {
  readonly messageId?: string | null | undefined
  readonly from?: string | null | undefined
  readonly to?: string | null | undefined
  readonly cursor?: string | null | undefined
}

/** @throws INVALID_PARAMETER, INVALID_CURSOR */
const readRange = ({ messageId, from, to, cursor }: GivenRange): ReplayRange => {
  const isOfTime = from != null || to != null
  if ([messageId != null, isOfTime, cursor != null].filter(Boolean).length !== 1)
    throw invalidParameter('messageId', 'either a messageId, or from and to, or a cursor')
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
    doc: 'Gives a subscription a new secret. For 24 hours messages carry the signatures of both.',
    tag,
    rest: { method: 'POST', path: `${PATH}/:subscriptionId/secret` },
    callers: ['key'],
    path: { subscriptionId },
    answer: { key: 'secret', value: text('The new one: `whsec_` and the secret in base64.') },
    errors: ['NOT_FOUND'],
    example: {
      given: { subscriptionId: EXAMPLE_WEBHOOK },
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
    doc: 'Sends a message of the type `webhook/test`; the attempts say what came of it.',
    tag,
    rest: { method: 'POST', path: `${PATH}/:subscriptionId/test` },
    callers: ['key'],
    path: { subscriptionId },
    answer: { key: 'messageId', value: text('The `webhook-id` of the message.') },
    errors: ['NOT_FOUND', 'NOT_SUPPORTED'],
    example: { given: { subscriptionId: EXAMPLE_WEBHOOK }, result: EXAMPLE_MESSAGE },
    run: async (context, given) => {
      const found = await requireWebhook(context, given.subscriptionId)
      if (!found.isEnabled)
        throw new ApiError('NOT_SUPPORTED', 'The subscription is switched off: nothing is sent.')
      return requestTest(context.database, found.subscriptionId)
    },
  }),
  defineOperation({
    name: 'webhookAttempts',
    doc: 'The attempts to send messages to a subscription, newest first.',
    tag,
    rest: { method: 'GET', path: `${PATH}/:subscriptionId/attempts` },
    callers: ['key'],
    path: { subscriptionId },
    query: {
      messageId,
      cursor: text('`nextCursor` of the page before.'),
      pageSize: integer(
        `Attempts on a page, up to ${MAX_PAGE_SIZE}; ${DEFAULT_PAGE_SIZE} unless given.`,
      ),
    },
    answer: {
      value: object(
        defineShape({
          name: 'WebhookAttemptPage',
          doc: 'A page of attempts.',
          fields: {
            attempts: list(attempt, 'The attempts.'),
            nextCursor: text('Of the next page; null on the last.'),
          },
        }),
        'The page.',
      ),
    },
    errors: ['NOT_FOUND', 'INVALID_CURSOR'],
    example: {
      given: { subscriptionId: EXAMPLE_WEBHOOK, pageSize: 1 },
      result: { attempts: [exampleAttempt], nextCursor: 'YTczMDEuMTI' },
    },
    run: async (context, given) => {
      const limit = parsePageSize(given.pageSize)
      const found = await requireWebhook(context, given.subscriptionId)
      return listAttempts(context.database, {
        ...{ subscriptionId: found.subscriptionId, limit },
        ...{ messageId: given.messageId ?? undefined, cursor: given.cursor ?? undefined },
      })
    },
  }),
  defineOperation({
    name: 'replayWebhook',
    doc: 'Sends messages once more, under their own ids: one, those of a time, or all since a cursor. What the change log has forgotten is refused.',
    tag,
    rest: { method: 'POST', path: `${PATH}/:subscriptionId/replay` },
    callers: ['key'],
    path: { subscriptionId },
    body: {
      messageId,
      from: timestamp('The first time of changes to be sent, within the retention; with `to`.'),
      to: timestamp(
        'The last time of changes to be sent; with `from`. A day alone stands for its end in UTC.',
        { ofDay: 'last' },
      ),
      cursor,
    },
    answer: { key: 'subscriptionId', value: subscriptionId },
    errors: ['NOT_FOUND', 'INVALID_CURSOR', 'CURSOR_EXPIRED'],
    example: {
      given: { subscriptionId: EXAMPLE_WEBHOOK, messageId: EXAMPLE_MESSAGE },
      result: EXAMPLE_WEBHOOK,
    },
    run: async (context, given) => {
      const { database, caller } = context
      const { subscriptionId: id } = await requireWebhook(context, given.subscriptionId)
      const owner = { environmentId: caller.environmentId, subscriptionId: id }
      if (await requestReplay(database, owner, readRange(given))) return id
      throw new ApiError('NOT_FOUND', 'There is no such message, and no change of that time.')
    },
  }),
  defineOperation({
    name: 'webhookStatus',
    doc: 'How the delivery to a subscription stands.',
    tag,
    rest: { method: 'GET', path: `${PATH}/:subscriptionId/status` },
    callers: ['key'],
    path: { subscriptionId },
    answer: { key: 'status', value: object(status, 'The status.') },
    errors: ['NOT_FOUND'],
    example: {
      given: { subscriptionId: EXAMPLE_WEBHOOK },
      result: {
        ...{ subscriptionId: EXAMPLE_WEBHOOK, payload: '{ id vendorName }', isOrdered: false },
        ...{ cursor: EXAMPLE_CURSOR, waiting: 0, replays: 0 },
        ...{ failures: 0, failingSince: null, pausedUntil: null },
        ...{ missedUntil: null, disabledReason: null },
      },
    },
    run: async (context, given) => {
      const found = await requireWebhook(context, given.subscriptionId)
      const state = await readDeliveryStatus(context.database, found.subscriptionId)
      if (state === null) throw noSubscription()
      return state
    },
  }),
]
