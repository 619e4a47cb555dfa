/**
 * The sandbox: an app with every kind of record, living in this process. It is reached as any other app is,
 * by HTTP requests to its origin, but these are answered here and not dialled.
 */
import type { Database } from '../store/database.ts'
import {
  changeSandbox,
  getSandboxRecord,
  getSandboxTenant,
  listSandboxRecords,
} from '../store/sandbox-records.ts'
import { json, Refusal, recordAnswer, refusalAnswer, shown } from './answers.ts'
import { FieldError, type Fields, isId } from './kinds/kind.ts'
import { type Given, type KindName, kindOf, type Stored } from './kinds/kinds.ts'
import { takeSteps } from './life/step.ts'
import { markOf, readListing } from './listing.ts'
import { openWorkspace, toStored } from './open-workspace.ts'
import {
  createTenant,
  isTenantName,
  opens,
  type TenantAccess,
  type TenantOptions,
} from './tenant.ts'
import { StateConflict, type Workspace } from './workspace.ts'

/** Where the sandbox's requests go. The name is reserved for private use: nothing answers to it outside. */
export const SANDBOX_ORIGIN = 'http://sandbox.trunkline.internal'

/** The app. */
export interface SandboxApp {
  /** Answers a request to the sandbox's origin. Rejects only if the database fails. */
  handle(request: Request): Promise<Response>
  /** Makes a tenant with its records, or finds the one of that name. @throws RangeError for a name that cannot be one */
  createTenant(tenant: string, options?: TenantOptions): Promise<TenantAccess>
  /** Lets the next steps of the tenant's life happen now. @throws RangeError if there is no such tenant */
  advance(tenant: string, steps?: number): Promise<void>
}

/** What the app needs; `now` is the clock that stamps its records. */
export interface SandboxOptions {
  readonly database: Database
  readonly now?: () => Date
}

const BODY_LIMIT_BYTES = 1_000_000

interface Call {
  readonly request: Request
  readonly url: URL
  readonly tenant: string
  readonly kind: KindName
  readonly id: string | undefined
}

const readBody = async (request: Request): Promise<Fields> => {
  const text = await request.text()
  if (Buffer.byteLength(text) > BODY_LIMIT_BYTES) throw new Refusal(413, 'body_too_large')
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new Refusal(400, 'not_json')
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal(400, 'not_an_object')
  // A parsed object has text keys.
  return body as Fields
}

/** The version that the caller has seen. */
const readVersion = (request: Request): number => {
  const given = request.headers.get('if-match')
  if (given === null) throw new Refusal(428, 'if_match_required')
  const [, version] = /^"?(\d{1,9})"?$/.exec(given) ?? []
  if (version === undefined) throw new Refusal(400, 'if_match_invalid')
  return Number(version)
}

/** Makes the app; it keeps nothing but what is in the database. */
export const createSandboxApp = ({
  database,
  now = () => new Date(),
}: SandboxOptions): SandboxApp => {
  const change = <T>(tenant: string, work: (workspace: Workspace) => Promise<T>) =>
    changeSandbox(database, tenant, async (session) => {
      const workspace = openWorkspace(session, now())
      return { result: await work(workspace), ...workspace.settled() }
    })

  const findCurrent = async (workspace: Workspace, { request, kind, id }: Call) => {
    const record = await workspace.find(kind, id ?? '')
    if (!record) throw new Refusal(404, 'no_such_record')
    const isGuarded = request.method === 'PUT' || request.headers.has('if-match')
    if (isGuarded && readVersion(request) !== record.version)
      throw new StateConflict('stale_version')
    return record
  }

  const list = async ({ url, tenant, kind }: Call): Promise<Response> => {
    const page = readListing(url.searchParams)
    const rows = await listSandboxRecords(database, tenant, kind, {
      ...page,
      limit: page.limit + 1,
    })
    const kept = rows.slice(0, page.limit)
    const last = rows.length > kept.length ? kept.at(-1) : undefined
    return json(200, {
      items: kept.map((row) => shown(toStored(row))),
      next: last ? markOf(last) : null,
    })
  }

  const get = async ({ tenant, kind, id }: Call): Promise<Response> => {
    const row = await getSandboxRecord(database, tenant, kind, id ?? '')
    if (!row || row.deleted) throw new Refusal(404, 'no_such_record')
    return recordAnswer(200, toStored(row))
  }

  /** The tenant was there when it opened; none is ever taken away. */
  const answered = (record: Stored | undefined, status: number): Response => {
    if (!record) throw new Refusal(401, 'unauthorized')
    return recordAnswer(status, record)
  }

  const create = async ({ request, tenant, kind }: Call): Promise<Response> => {
    // What is given is read by the kind's own schema before anything is made of it.
    const given = (await readBody(request)) as Given<typeof kind>
    return answered(await change(tenant, (workspace) => workspace.create(kind, given)), 201)
  }

  const update = async (call: Call): Promise<Response> => {
    readVersion(call.request)
    // Read by the kind's own schema, as in create.
    const given = (await readBody(call.request)) as Partial<Given<KindName>>
    const record = await change(call.tenant, async (workspace) =>
      workspace.update(await findCurrent(workspace, call), given),
    )
    return answered(record, 200)
  }

  const remove = async (call: Call): Promise<Response> => {
    await change(call.tenant, async (workspace) =>
      workspace.remove(await findCurrent(workspace, call)),
    )
    return new Response(null, { status: 204 })
  }

  const route = (call: Call): Promise<Response> => {
    const methods =
      call.id === undefined
        ? { GET: list, POST: create }
        : { GET: get, PUT: update, DELETE: remove }
    const allowed = Object.entries(methods).filter(
      ([method]) => method === 'GET' || !kindOf(call.kind)?.readOnly,
    )
    const found = allowed.find(([method]) => method === call.request.method)
    if (found) return found[1](call)
    throw new Refusal(405, 'method_not_allowed', {
      allow: allowed.map(([name]) => name).join(', '),
    })
  }

  const accessOf = ({ headers }: Request): TenantAccess => {
    const [, token = ''] = /^Bearer (\S.*)$/i.exec(headers.get('authorization') ?? '') ?? []
    return { tenant: headers.get('sandbox-tenant') ?? '', token }
  }

  const unauthorized = () => new Refusal(401, 'unauthorized', { 'www-authenticate': 'Bearer' })

  const admit = async (request: Request): Promise<string> => {
    const { tenant, token } = accessOf(request)
    const known = isTenantName(tenant) ? await getSandboxTenant(database, tenant) : undefined
    if (!known || !opens(known, token)) throw unauthorized()
    return tenant
  }

  /** Lets in who knows the token; a tenant of a new name is made, and has the given one. */
  const open = async (request: Request): Promise<Response> => {
    const { tenant, token } = accessOf(request)
    if (token === '') throw unauthorized()
    if (!isTenantName(tenant)) throw new FieldError('not_a_name', 'tenant')
    const made = await createTenant(database, now(), tenant, { token })
    if (!opens(made, token)) throw unauthorized()
    return json(200, { tenant })
  }

  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url)
    if (url.pathname === '/v1/tenant' && request.method === 'PUT') return open(request)
    const tenant = await admit(request)
    const [, kind = '', id] = /^\/v1\/([a-z_]+)(?:\/([^/]+))?$/.exec(url.pathname) ?? []
    if (!kindOf(kind)) throw new Refusal(404, 'no_such_kind')
    if (id !== undefined && !isId(id)) throw new Refusal(404, 'no_such_record')
    // kindOf knows it.
    return route({ request, url, tenant, kind: kind as KindName, id })
  }

  return {
    handle: async (request) => {
      const response = await answer(request).catch(refusalAnswer)
      // Who lists the changes goes by the clock that stamps them.
      response.headers.set('date', now().toUTCString())
      return response
    },
    createTenant: (tenant, options) => createTenant(database, now(), tenant, options),
    advance: async (tenant, steps = 1) => takeSteps(database, now, tenant, steps),
  }
}
