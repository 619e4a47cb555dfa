/** Responses of the sandbox: JSON, and for errors `{ error: { reason, field, message? } }`. */
import type { SandboxRow } from '../store/sandbox/sandbox-records.ts'
import { RequestError } from './errors.ts'
import type { SandboxFields } from './kinds/kind.ts'

/** Response body of a record: id, the fields of its kind, then version and timestamps. */
export const recordBody = ({ id, fields, ...record }: SandboxRow): SandboxFields => {
  const { version, created, modified, deleted } = record
  return { id, ...fields, version, created, modified, deleted }
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

/** Error response for a rejected request. Other errors are rethrown. */
export const errorResponse = (error: unknown): Response => {
  if (!(error instanceof RequestError)) throw error
  const { field = null, explanation: message, headers } = error.details
  return json(error.status, { error: { reason: error.reason, field, message } }, headers)
}
