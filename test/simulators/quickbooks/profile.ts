/**
 * QuickBooks Online: the accounting API of Intuit, made from its schema (contract/) and documentation. What could not
 * be verified is in NOTES.md.
 */
import type { Account } from '../engine/accounts.ts'
import { createIdempotency, type Idempotency } from '../engine/idempotency.ts'
import type { JsonObject } from '../engine/json.ts'
import { createConcurrency, createWindow } from '../engine/limits.ts'
import type { OAuthPolicy } from '../engine/oauth/policy.ts'
import type { Call, LimitPolicy, Parameter, Profile, Reply, Route } from '../engine/profile.ts'
import { type ChangeLimits, listChanges } from './changes.ts'
import type { Company } from './company.ts'
import { checkOf } from './contract.ts'
import { type Entity, entities, type Operation } from './entities.ts'
import {
  businessRule,
  missingParameter,
  notFound,
  queryFault,
  refuse,
  unsupportedOperation,
  withFaults,
} from './faults.ts'
import { preferencesOf } from './preferences.ts'
import { runQuery } from './query.ts'
import { formatResponseTime } from './times.ts'
import { type WebhookFormat, webhookPolicy } from './webhooks.ts'
import { write } from './writes.ts'

const SCOPES = ['com.intuit.quickbooks.accounting']
const BASE = '/v3/company/{realmId}'

/** Parameters of every request. */
const COMMON: Readonly<Record<string, Parameter>> = {
  minorversion: { accepts: (value) => /^\d{1,3}$/.test(value) },
  requestid: { accepts: (value) => value.length > 0 && value.length <= 50 },
}

export interface QuickBooksOptions extends ChangeLimits {
  readonly webhookFormat: WebhookFormat
  readonly companyOf: (account: Account) => Company
}

/** The operation of a POST: a body with an Id is an update. */
const operationOf = ({ query: { operation, include }, body }: Call): Operation => {
  if (include === 'void') return 'void'
  switch (operation) {
    case undefined:
    case 'update':
      return body.Id === undefined ? 'create' : 'update'
    case 'delete':
    case 'void':
      return operation
    default:
      throw unsupportedOperation(operation)
  }
}

export const createProfile = ({
  companyOf,
  webhookFormat,
  limitedBy,
}: QuickBooksOptions): Profile => {
  const repeated = new WeakMap<Account, Idempotency<Reply>>()

  /** Responds with the envelope's time, or with a fault. */
  const respond =
    (build: (company: Company, call: Call) => JsonObject) =>
    (call: Call): Reply => {
      const company = companyOf(call.account)
      const nowMs = () => company.clock.nowMs()
      return withFaults(nowMs, () => {
        const body = build(company, call)
        return { status: 200, body: { ...body, time: formatResponseTime(nowMs()) } }
      })
    }

  /** The response to the first request with this `requestid`. */
  const respondOnce =
    (build: (company: Company, call: Call) => JsonObject) =>
    (call: Call): Reply => {
      const work = () => respond(build)(call)
      const { requestid } = call.query
      if (requestid === undefined) return work()
      const idempotency = repeated.get(call.account) ?? createIdempotency<Reply>()
      repeated.set(call.account, idempotency)
      const { nowMs } = companyOf(call.account).clock
      return withFaults(nowMs, () =>
        idempotency.once(requestid, `${call.route.path} ${call.text}`, {
          work,
          conflict: () => businessRule('The requestid was used for another request.'),
        }),
      )
    }

  const query = (text: (call: Call) => string): Pick<Route, 'respond' | 'response'> => ({
    respond: respond((company, call) => ({ QueryResponse: runQuery(company, text(call)) })),
    response: checkOf('QueryEnvelope'),
  })

  const routes: readonly Route[] = [
    {
      method: 'GET',
      path: `${BASE}/query`,
      scopes: SCOPES,
      parameters: { ...COMMON, query: { required: true } },
      ...query((call) => call.query.query ?? ''),
    },
    {
      method: 'POST',
      path: `${BASE}/query`,
      scopes: SCOPES,
      parameters: COMMON,
      body: { mediaTypes: ['application/text'] },
      ...query(({ text }) => {
        if (text === '') throw queryFault('parse', 'Encountered "<EOF>" at line 0, column 0.')
        return text
      }),
    },
    {
      method: 'GET',
      path: `${BASE}/cdc`,
      scopes: SCOPES,
      parameters: { ...COMMON, entities: { required: true }, changedSince: { required: true } },
      respond: respond(
        (company, { query: { entities: names = '', changedSince: since = '' } }) => ({
          CDCResponse: listChanges(company, { names: names.split(','), since }, { limitedBy }),
        }),
      ),
      response: checkOf('CDCEnvelope'),
    },
    {
      method: 'GET',
      path: `${BASE}/preferences`,
      scopes: SCOPES,
      parameters: COMMON,
      respond: respond((company) => ({ Preferences: preferencesOf(company) })),
      response: checkOf('PreferencesEnvelope'),
    },
    ...[...entities.values()].flatMap((entity) => entityRoutes(entity)),
  ]

  function entityRoutes(entity: Entity): readonly Route[] {
    const { name, segment, operations } = entity
    const read: Route = {
      method: 'GET',
      path: `${BASE}/${segment}/{id}`,
      scopes: SCOPES,
      parameters: COMMON,
      respond: respond((company, { path: { id = '' } }) => {
        const found = company.find(name, name === 'CompanyInfo' ? '1' : id)
        if (!found) throw notFound('Another user has deleted this transaction.')
        return { [name]: found }
      }),
      response: checkOf(`${name}Response`),
    }
    const change: Route = {
      method: 'POST',
      path: `${BASE}/${segment}`,
      scopes: SCOPES,
      parameters: { ...COMMON, operation: {}, include: { accepts: (value) => value === 'void' } },
      body: { mediaTypes: ['application/json'], check: () => checkOf(name) },
      respond: respondOnce((company, call) => {
        const operation = operationOf(call)
        if (operation !== 'create' && call.body.SyncToken === undefined)
          throw missingParameter('SyncToken')
        return { [name]: write(company, operation, name, call.body) }
      }),
      response: checkOf(`${name}Response`),
    }
    return operations.length > 0 ? [read, change] : [read]
  }

  return {
    name: 'QuickBooks Online',
    routes,
    refuse,
    errorBody: checkOf('FaultEnvelope'),
    accountOf: ({ realmId }) => realmId,
    requestHeaders: {
      accept: { required: true, accepts: (value) => value.includes('application/json') },
    },
    responseHeaders: ({ requestId }) => ({ intuit_tid: requestId }),
    limits,
    oauth,
    webhooks: webhookPolicy(webhookFormat, (account, type, id) =>
      companyOf(account).mergedInto.get(`${type} ${id}`),
    ),
  }
}

/** Limits count the requests of an OAuth client to a company. */
const perCompany: LimitPolicy['key'] = ({ accountId, clientId }) => `${accountId} ${clientId}`

const limits: readonly LimitPolicy[] = [
  {
    name: 'requests per minute',
    limit: (clock) => createWindow(clock, { max: 500, periodMs: 60_000 }),
    key: ({ accountId }) => accountId,
  },
  {
    name: 'requests per second',
    limit: (clock) => createWindow(clock, { max: 10, periodMs: 1000 }),
    key: perCompany,
  },
  {
    name: 'concurrent requests',
    limit: () => createConcurrency({ max: 10 }),
    key: perCompany,
  },
]

const oauth: OAuthPolicy = {
  paths: {
    authorize: '/connect/oauth2',
    token: '/oauth2/v1/tokens/bearer',
    revoke: '/v2/oauth2/tokens/revoke',
  },
  scopes: [...SCOPES, 'com.intuit.quickbooks.payment', 'openid', 'profile', 'email'],
  scopeSeparator: ' ',
  pkce: 'unsupported',
  clientAuthentication: ['basic'],
  bodies: ['application/x-www-form-urlencoded', 'application/json'],
  codeSeconds: 600,
  accessTokenSeconds: 3600,
  refreshTokenSeconds: 8_726_400,
  refresh: { rotatesAfterMs: 86_400_000, graceMs: 0, reuse: 'refused' },
  callbackParameters: ({ accountId }) => ({ realmId: accountId }),
  tokenResponse: ({ accessToken, accessTokenSeconds, refreshToken, refreshTokenSeconds }) => ({
    token_type: 'bearer',
    expires_in: accessTokenSeconds,
    refresh_token: refreshToken,
    x_refresh_token_expires_in: refreshTokenSeconds,
    access_token: accessToken,
  }),
}
