/** Responses of the sandbox: JSON, and for errors `{ error: { reason, field, message? } }`. */
import type { SandboxRow } from '../store/sandbox/sandbox-records.ts'
import { FieldError, type SandboxFields } from './kinds/kind.ts'
import { kindOf } from './kinds/kinds.ts'
import { StateConflictError } from './workspace.ts'

/** A request that is rejected as a whole. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly status: number
  readonly reason: string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, reason: string, headers: Readonly<Record<string, string>> = {}) {
    super(reason)
    this.status = status
    this.reason = reason
    this.headers = headers
  }
}

/** Response body of a record: id, the fields of its kind, then version and timestamps. */
export const recordBody = ({ kind, id, fields, ...record }: SandboxRow): SandboxFields => {
  const inputNames = Object.keys(kindOf(kind)?.fields.shape ?? {})
  // The table keeps no key order, so use the order of the kind's definition.
  const names = new Set([...inputNames, ...Object.keys(fields).sort()])
  const own = Object.fromEntries([...names].map((name) => [name, fields[name] ?? null]))
  const { version, created, modified, deleted } = record
  return { id, ...own, version, created, modified, deleted }
}

/** A JSON response. */
export const json = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response => Response.json(body, { status, headers })

/** Response with one record; its `ETag` is the version for `If-Match`. */
export const recordResponse = (status: number, record: SandboxRow): Response =>
  json(status, recordBody(record), {
    etag: `"${record.version}"`,
    ...(status === 201 && { location: `/v1/${record.kind}/${record.id}` }),
  })

/** Error response for a client error. Other errors are rethrown. */
export const errorResponse = (error: unknown): Response => {
  if (error instanceof FieldError)
    return json(422, {
      error: { reason: error.reason, field: error.field, message: error.explanation },
    })
  if (error instanceof StateConflictError)
    return json(409, { error: { reason: error.reason, field: null } })
  if (error instanceof RequestError)
    return json(error.status, { error: { reason: error.reason, field: null } }, error.headers)
  throw error
}
