/** The smallest profile: notes of a vendor that does not exist. It tests the engine and shows how a profile is made. */
import { createHmac } from 'node:crypto'
import { createContract } from './engine/contract.ts'
import { createConcurrency, createWindow } from './engine/limits.ts'
import { pageAfter } from './engine/pages.ts'
import { type Profile, ReplyError, type Route } from './engine/profile.ts'
import type { StoredRecord } from './engine/store.ts'

const contract = createContract({
  $defs: {
    NewNote: {
      type: 'object',
      properties: {
        text: { type: 'string', maxLength: 100 },
        colour: { enum: ['red', 'blue'] },
        version: { type: 'integer' },
      },
      required: ['text'],
      additionalProperties: false,
    },
    Note: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        text: { type: 'string' },
        colour: { enum: ['red', 'blue'] },
        version: { type: 'integer' },
      },
      required: ['id', 'text', 'version'],
      additionalProperties: false,
    },
    Notes: {
      type: 'object',
      properties: {
        notes: { type: 'array', items: { $ref: '#/$defs/Note' } },
        after: { type: 'string' },
      },
      required: ['notes'],
      additionalProperties: false,
    },
    Error: {
      type: 'object',
      properties: { error: { type: 'string' }, detail: { type: 'string' } },
      required: ['error'],
      additionalProperties: false,
    },
  },
})

const show = ({ id, version, value }: StoredRecord) => ({ ...value, id, version })
const list: Route = {
  method: 'GET',
  path: '/notes',
  scopes: ['read'],
  parameters: { after: {}, limit: { accepts: (value) => /^[1-9]\d?$/.test(value) } },
  respond: ({ account: { store }, query: { after = '0', limit = '10' } }) => {
    const isAfter = ({ id }: StoredRecord) => Number(id) > Number(after)
    const { page, hasMore } = pageAfter(store.list('Note'), isAfter, Number(limit))
    const next = hasMore ? page.at(-1)?.id : undefined
    return { status: 200, body: { notes: page.map(show), ...(next && { after: next }) } }
  },
  response: contract.checkOf('Notes'),
}

const create: Route = {
  method: 'POST',
  path: '/notes',
  scopes: ['write'],
  body: { mediaTypes: ['application/json'], check: () => contract.checkOf('NewNote') },
  respond: ({ account: { store }, body }) => {
    const note = store.insert('Note', store.nextId('notes'), body)
    return { status: 201, body: show(note) }
  },
  response: contract.checkOf('Note'),
}

const update: Route = {
  method: 'PUT',
  path: '/notes/{id}',
  scopes: ['write'],
  body: { mediaTypes: ['application/json'], check: () => contract.checkOf('NewNote') },
  respond: ({ account: { store }, path: { id = '' }, body }) => {
    const before = store.find('Note', id)
    if (!before) throw new ReplyError({ status: 404, body: { error: 'not-found' } })
    if (before.version !== body.version)
      throw new ReplyError({ status: 409, body: { error: 'stale' } })
    return { status: 200, body: show(store.replace('Note', id, { ...body, version: undefined })) }
  },
  response: contract.checkOf('Note'),
}

const STATUSES: Readonly<Record<string, number>> = {
  'unknown-path': 404,
  'unknown-method': 405,
  unauthenticated: 401,
  'wrong-account': 403,
  'missing-scope': 403,
  'media-type': 415,
  'body-too-large': 413,
  'rate-limited': 429,
}

export const exampleProfile: Profile = {
  name: 'example',
  routes: [list, create, update],
  refuse: (refusal) => ({
    status: STATUSES[refusal.reason] ?? 400,
    headers:
      refusal.reason === 'rate-limited'
        ? { 'retry-after': String(Math.ceil(refusal.retryAfterMs / 1000)) }
        : {},
    body: { error: refusal.reason, detail: JSON.stringify(refusal) },
  }),
  errorBody: contract.checkOf('Error'),
  requestHeaders: { 'x-api-version': { accepts: (value) => value === '1' } },
  responseHeaders: ({ limits }) => {
    const minute = limits['requests per minute']
    return minute ? { 'x-remaining': String(minute.max - minute.used) } : {}
  },
  limits: [
    {
      name: 'requests per minute',
      limit: (clock) => createWindow(clock, { max: 5, periodMs: 60_000 }),
      key: ({ accountId }) => accountId,
    },
    {
      name: 'concurrent requests',
      limit: () => createConcurrency({ max: 2 }),
      key: ({ accountId }) => accountId,
    },
  ],
  oauth: {
    paths: { authorize: '/authorize', token: '/token', revoke: '/revoke' },
    scopes: ['read', 'write'],
    scopeSeparator: ' ',
    pkce: 'required',
    clientAuthentication: ['basic', 'body'],
    bodies: ['application/x-www-form-urlencoded'],
    codeSeconds: 60,
    accessTokenSeconds: 600,
    refreshTokenSeconds: 86_400,
    refresh: { rotatesAfterMs: 0, graceMs: 30_000, reuse: 'revokes-grant' },
    callbackParameters: ({ accountId }) => ({ account: accountId }),
    tokenResponse: ({ accessToken, accessTokenSeconds, refreshToken }) => ({
      access_token: accessToken,
      token_type: 'bearer',
      expires_in: accessTokenSeconds,
      refresh_token: refreshToken,
    }),
  },
  webhooks: {
    eventsOf: ({ type, id, action, atMs }, { id: accountId }) => [
      { accountId, topic: `${type}.${action}`, atMs, payload: { id, action, accountId } },
    ],
    delayMs: 1000,
    maxEventsPerMessage: 2,
    mixesAccounts: false,
    messageOf: ({ events, subscription: { secret }, messageId }) => {
      const body = JSON.stringify(events.map(({ payload }) => payload))
      const signature = createHmac('sha256', secret).update(body).digest('base64')
      return { body, headers: { 'x-signature': signature, 'x-message-id': messageId } }
    },
    retryDelaysMs: [10_000, 60_000],
    timeoutMs: 1000,
    removedAfterFailures: 1,
  },
}
