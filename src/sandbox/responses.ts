/** Responses of the sandbox: JSON, and for errors `{ error: { reason, field, message? } }`. */
import type { SandboxRow } from '../store/sandbox/sandbox-records.ts'
import { RequestError } from './errors.ts'
import type { SandboxFields } from './kinds/kind.ts'

/** Response body of a record: id, the fields of its kind, then version and timestamps. */
export const recordBody = ({ id, fields, ...record }: SandboxRow): SandboxFields => {
  const { version, created, modified, deleted } = record
  return { id, ...fields, version, created, modified, deleted }
}

/** Response with one record; its `ETag` is the version for `If-Match`. */
export const recordResponse = (status: number, record: SandboxRow): Response =>
  Response.json(recordBody(record), {
    status,
    headers: {
      etag: `"${record.version}"`,
      ...(status === 201 && { location: `/v1/${record.kind}/${record.id}` }),
    },
  })

/** Error response for a rejected request. Other errors are rethrown. */
export const errorResponse = (error: unknown): Response => {
  if (!(error instanceof RequestError)) throw error
  const { status, reason, details } = error
  const { field = null, explanation: message, headers = {} } = details
  return Response.json({ error: { reason, field, message } }, { status, headers })
}
