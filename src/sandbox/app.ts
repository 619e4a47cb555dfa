/**
 * The sandbox: an app inside this process, with every kind of record. Connectors send HTTP requests to its
 * origin as to any other app; the requests are handled here without a network connection.
 */
import type { Verb } from '../definition/resource.ts'
import { isObject } from '../definition/value.ts'
import type { Clock } from '../store/database/clock.ts'
import type { Database } from '../store/database/database.ts'
import {
  changeSandbox,
  getSandboxRecord,
  listSandboxRecords,
} from '../store/sandbox/sandbox-records.ts'
import { FieldError, RequestError } from './errors.ts'
import { describeFields, isId } from './kinds/kind.ts'
import { type KindInput, type KindName, kindOf, type SandboxRecord } from './kinds/kinds.ts'
import { takeStep } from './life.ts'
import { cursorOf, readListing } from './listing.ts'
import { respondToAuthorization } from './oauth/authorize-page.ts'
import { respondToRevocation, respondToTokenRequest } from './oauth/endpoints.ts'
import { isAccessToken, tenantsOf } from './oauth/grants.ts'
import { errorResponse, recordBody, recordResponse } from './responses.ts'
import {
  createTenant,
  isTenantName,
  isTenantToken,
  openTenant,
  type TenantAccess,
  type TenantOptions,
} from './tenant.ts'
import { openWorkspace, type Workspace } from './workspace.ts'

/** Origin of the sandbox. `.internal` is reserved for private use, so the host exists nowhere else. */
export const SANDBOX_ORIGIN = 'http://sandbox.trunkline.internal'

/** The sandbox app. */
export interface SandboxApp {
  /** Handles a request to the sandbox's origin. Rejects only if the database fails. */
  handle(request: Request): Promise<Response>
  /** Handles a request of a browser to the page that authorizes an OAuth client. Rejects as `handle` does. */
  authorize(request: Request, redirectUri: string | undefined): Promise<Response>
  /** Creates a tenant with its records, or sets a new token on an existing one. @throws RangeError for an invalid name */
  openTenant(tenant: string, options?: TenantOptions): Promise<TenantAccess>
  /** Runs the next steps of the tenant's simulation now. @throws RangeError if the tenant does not exist */
  advance(tenant: string, steps?: number): Promise<void>
}

/** Dependencies of the app; `clock` supplies the timestamps of records. */
export interface SandboxOptions {
  readonly database: Database
  readonly clock: Clock
}

const BODY_LIMIT_BYTES = 1_000_000

interface Call {
  readonly request: Request
  readonly url: URL
  readonly tenant: string
  readonly kind: KindName
  /** Empty for a request to the collection. */
  readonly id: string
}

const methods: {
  readonly [Target in 'collection' | 'record']: Readonly<Record<string, Verb>>
} = {
  collection: { GET: 'list', POST: 'create' },
  record: { GET: 'get', PUT: 'update', DELETE: 'delete' },
}

/** The body of a write, which the schema of the kind validates later. */
const readBody = async (request: Request): Promise<KindInput<KindName>> => {
  const text = await request.text()
  if (Buffer.byteLength(text) > BODY_LIMIT_BYTES) throw new RequestError(413, 'body_too_large')
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new RequestError(400, 'not_json')
  }
  if (!isObject(body)) throw new RequestError(400, 'not_an_object')
  // Safe cast: the schema of the kind validates it.
  return body as KindInput<KindName>
}

/** The version in `If-Match`. */
const readVersion = (request: Request): number => {
  const header = request.headers.get('if-match')
  if (header === null) throw new RequestError(428, 'if_match_required')
  const [, version] = /^"?(\d{1,9})"?$/.exec(header) ?? []
  if (version === undefined) throw new RequestError(400, 'if_match_invalid')
  return Number(version)
}

const unauthorized = () =>
  new RequestError(401, 'unauthorized', { headers: { 'www-authenticate': 'Bearer' } })

const accessOf = ({ headers }: Request): TenantAccess => {
  const [, token = ''] = /^Bearer (\S.*)$/i.exec(headers.get('authorization') ?? '') ?? []
  return { tenant: headers.get('sandbox-tenant') ?? '', token }
}

/** Creates the app. All its state is in the database. */
export const createSandboxApp = ({ database, clock }: SandboxOptions): SandboxApp => {
  const now = (): Date => new Date(clock.nowMs())

  /** Writes to a tenant. Without one, the token has been checked before: tenants are never deleted. */
  const change = async (
    { tenant }: Call,
    work: (workspace: Workspace) => Promise<SandboxRecord>,
  ): Promise<SandboxRecord> => {
    const record = await changeSandbox(database, tenant, async (session) => {
      const workspace = openWorkspace(session, now())
      return { result: await work(workspace), ...workspace.changes() }
    })
    if (!record) throw unauthorized()
    return record
  }

  const findCurrent = async (workspace: Workspace, { request, kind, id }: Call) => {
    const record = await workspace.find(kind, id)
    if (!record) throw new RequestError(404, 'no_such_record')
    const isGuarded = request.method === 'PUT' || request.headers.has('if-match')
    if (isGuarded && readVersion(request) !== record.version)
      throw new RequestError(409, 'stale_version')
    return record
  }

  const handlers: Readonly<Record<Verb, (call: Call) => Promise<Response>>> = {
    list: async ({ url, tenant, kind }) => {
      const page = readListing(url.searchParams)
      const more = { ...page, limit: page.limit + 1 }
      const rows = await listSandboxRecords(database, tenant, kind, more)
      const items = rows.slice(0, page.limit)
      const last = rows.length > items.length ? items.at(-1) : undefined
      return Response.json({ items: items.map(recordBody), next: last ? cursorOf(last) : null })
    },
    get: async ({ tenant, kind, id }) => {
      const row = await getSandboxRecord(database, tenant, kind, id)
      if (!row || row.deleted) throw new RequestError(404, 'no_such_record')
      return recordResponse(200, row)
    },
    create: async (call) => {
      const input = await readBody(call.request)
      return recordResponse(201, await change(call, ({ create }) => create(call.kind, input)))
    },
    update: async (call) => {
      readVersion(call.request)
      const input = await readBody(call.request)
      const record = await change(call, async (workspace) =>
        workspace.update(await findCurrent(workspace, call), input),
      )
      return recordResponse(200, record)
    },
    delete: async (call) => {
      await change(call, async (workspace) => {
        const record = await findCurrent(workspace, call)
        await workspace.remove(record)
        return record
      })
      return new Response(null, { status: 204 })
    },
  }

  const route = (call: Call): Promise<Response> => {
    const allowed = Object.entries(methods[call.id === '' ? 'collection' : 'record']).filter(
      ([, verb]) => kindOf(call.kind)?.verbs.includes(verb),
    )
    const [, verb] = allowed.find(([method]) => method === call.request.method) ?? []
    if (verb) return handlers[verb](call)
    const allow = allowed.map(([method]) => method).join(', ')
    throw new RequestError(405, 'method_not_allowed', { headers: { allow } })
  }

  /** The tenant of a request with its own token, or with an OAuth access token that opens it. */
  const authenticate = async (request: Request): Promise<string> => {
    const access = accessOf(request)
    const isAllowed = isAccessToken(access.token)
      ? (await tenantsOf(database, clock.nowMs(), access.token)).includes(access.tenant)
      : await isTenantToken(database, access)
    if (!isAllowed) throw unauthorized()
    return access.tenant
  }

  const describeTenant = async (tenant: string) => {
    const page = { since: undefined, after: undefined, limit: 1 }
    const [company] = await listSandboxRecords(database, tenant, 'companies', page)
    return { tenant, name: company?.fields.companyName }
  }

  /** Checks the token of a tenant. If the name is new, creates the tenant with this token. */
  const open = async (request: Request): Promise<Response> => {
    const access = accessOf(request)
    const { tenant, token } = access
    if (token === '') throw unauthorized()
    if (!isTenantName(tenant)) throw new FieldError('not_a_name', 'tenant')
    if (!isAccessToken(token)) await createTenant(database, now(), access)
    return Response.json(await describeTenant(await authenticate(request)))
  }

  /** Lists the tenants that an OAuth access token opens. */
  const listTenants = async (request: Request): Promise<Response> => {
    const tenants = await tenantsOf(database, clock.nowMs(), accessOf(request).token)
    if (tenants.length === 0) throw unauthorized()
    return Response.json({ items: await Promise.all(tenants.map(describeTenant)) })
  }

  const respond = async (request: Request): Promise<Response> => {
    const url = new URL(request.url)
    switch (`${request.method} ${url.pathname}`) {
      case 'PUT /v1/tenant':
        return open(request)
      case 'GET /v1/tenants':
        return listTenants(request)
      case 'POST /oauth/token':
        return respondToTokenRequest(database, clock.nowMs(), request)
      case 'POST /oauth/revoke':
        return respondToRevocation(database, request)
    }
    const tenant = await authenticate(request)
    const [, described] = /^\/v1\/fields\/([a-z_]+)$/.exec(url.pathname) ?? []
    if (described !== undefined) {
      const definition = kindOf(described)
      if (!definition) throw new RequestError(404, 'no_such_kind')
      return Response.json({ items: describeFields(definition) })
    }
    const [, kind = '', id] = /^\/v1\/([a-z_]+)(?:\/([^/]+))?$/.exec(url.pathname) ?? []
    if (!kindOf(kind)) throw new RequestError(404, 'no_such_kind')
    if (id !== undefined && !isId(id)) throw new RequestError(404, 'no_such_record')
    // Safe cast: kindOf has found it.
    return route({ request, url, tenant, kind: kind as KindName, id: id ?? '' })
  }

  return {
    handle: async (request) => {
      const response = await respond(request).catch(errorResponse)
      // Readers of changes rely on the clock that sets the timestamps.
      response.headers.set('date', now().toUTCString())
      return response
    },
    authorize: (request, redirectUri) =>
      respondToAuthorization(database, now(), request, redirectUri),
    openTenant: (tenant, options) => openTenant(database, now(), tenant, options),
    advance: async (tenant, steps = 1) => {
      for (let step = 0; step < steps; step++)
        if ((await takeStep(database, clock, tenant)) === undefined)
          throw new RangeError(`The sandbox has no tenant named ${JSON.stringify(tenant)}.`)
    },
  }
}
