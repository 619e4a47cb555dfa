/** The paths of the API. */
import type { Account } from '../engine/accounts.ts'
import { createIdempotency, type Idempotency } from '../engine/idempotency.ts'
import type { JsonObject } from '../engine/json.ts'
import type { Call, Parameter, Reply, Route } from '../engine/profile.ts'
import { type ChangeLimits, listChanges } from './changes.ts'
import type { Company } from './company.ts'
import { checkOf } from './contract.ts'
import { type Entity, entities, type Operation } from './entities.ts'
import { businessRule, notFound, unsupportedOperation, withFaults } from './faults.ts'
import { preferencesOf } from './preferences.ts'
import { runQuery } from './query.ts'
import { formatResponseTime } from './times.ts'
import { write } from './writes.ts'

/** The scope of the accounting API. */
export const SCOPE = 'com.intuit.quickbooks.accounting'

const BASE = '/v3/company/{realmId}'

/** Parameters of every request. */
const COMMON: Readonly<Record<string, Parameter>> = {
  minorversion: { accepts: (value) => /^\d{1,3}$/.test(value) },
  requestid: { accepts: (value) => value.length > 0 && value.length <= 50 },
}

/** What a route returns, without the time that every response has. @throws FaultException */
type Build = (company: Company, call: Call) => JsonObject

type CompanyOf = (account: Account) => Company

const respondWith =
  (companyOf: CompanyOf, build: Build) =>
  (call: Call): Reply => {
    const company = companyOf(call.account)
    const nowMs = () => company.clock.nowMs()
    return withFaults(nowMs, () => {
      const body = build(company, call)
      return { status: 200, body: { ...body, time: formatResponseTime(nowMs()) } }
    })
  }

/** Responds to a write, and to its repetitions under the same `requestid` alike. */
const createWriter = (companyOf: CompanyOf) => {
  const known = new WeakMap<Account, Idempotency<Reply>>()
  const idempotencyOf = (account: Account): Idempotency<Reply> => {
    const found = known.get(account) ?? createIdempotency<Reply>()
    known.set(account, found)
    return found
  }
  const conflict = () => businessRule('The requestid was used for another request.')

  return (build: Build) =>
    (call: Call): Reply => {
      const { account, query, route, text } = call
      const { requestid } = query
      const work = () => respondWith(companyOf, build)(call)
      if (requestid === undefined) return work()
      return withFaults(companyOf(account).clock.nowMs, () =>
        idempotencyOf(account).once(requestid, `${route.path} ${text}`, { work, conflict }),
      )
    }
}

/** The operation of a POST: a body with an Id is an update. @throws FaultException 500 */
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

const get = (
  path: string,
  parameters: Route['parameters'] = {},
): Omit<Route, 'respond' | 'response'> => ({
  method: 'GET',
  path: `${BASE}/${path}`,
  scopes: [SCOPE],
  parameters: { ...COMMON, ...parameters },
})

const readRoute = (companyOf: CompanyOf, { name, segment, kind }: Entity): Route => ({
  ...get(`${segment}/{id}`),
  respond: respondWith(companyOf, (company, { path: { id = '' } }) => {
    // The company information is addressed by the company's id; its own is 1.
    const isOwn = kind === 'setting' && id === company.account.id
    const found = kind === 'setting' && !isOwn ? undefined : company.find(name, isOwn ? '1' : id)
    if (!found) throw notFound('Another user has deleted this transaction.')
    return { [name]: found }
  }),
  response: checkOf(`${name}Response`),
})

const writeRoute = (writer: ReturnType<typeof createWriter>, { name, segment }: Entity): Route => ({
  method: 'POST',
  path: `${BASE}/${segment}`,
  scopes: [SCOPE],
  parameters: { ...COMMON, operation: {}, include: { accepts: (value) => value === 'void' } },
  body: { mediaTypes: ['application/json'], check: () => checkOf(name) },
  respond: writer((company, call) => ({
    [name]: write(company, operationOf(call), name, call.body),
  })),
  response: checkOf(`${name}Response`),
})

export const createRoutes = (companyOf: CompanyOf, limits: ChangeLimits): readonly Route[] => {
  const respond = (build: Build) => respondWith(companyOf, build)
  const writer = createWriter(companyOf)
  const all = [...entities.values()]
  return [
    {
      ...get('query', { query: { required: true } }),
      respond: respond((company, { query: { query = '' } }) => ({
        QueryResponse: runQuery(company, query),
      })),
      response: checkOf('QueryEnvelope'),
    },
    {
      ...get('query'),
      method: 'POST',
      body: { mediaTypes: ['application/text'] },
      respond: respond((company, { text }) => ({ QueryResponse: runQuery(company, text) })),
      response: checkOf('QueryEnvelope'),
    },
    {
      ...get('cdc', { entities: { required: true }, changedSince: { required: true } }),
      respond: respond(
        (company, { query: { entities: names = '', changedSince: since = '' } }) => ({
          CDCResponse: listChanges(company, { names: names.split(','), since }, limits),
        }),
      ),
      response: checkOf('CDCEnvelope'),
    },
    {
      ...get('preferences'),
      respond: respond((company) => ({ Preferences: preferencesOf(company) })),
      response: checkOf('PreferencesEnvelope'),
    },
    ...all.map((entity) => readRoute(companyOf, entity)),
    ...all
      .filter(({ operations }) => operations.length > 0)
      .map((entity) => writeRoute(writer, entity)),
  ]
}
