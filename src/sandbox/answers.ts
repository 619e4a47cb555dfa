/** How the sandbox answers: JSON, and for a refusal `{ error: { reason, field } }`. */
import { FieldError, type Fields } from './kinds/kind.ts'
import { kinds, type Stored } from './kinds/kinds.ts'
import { StateConflict } from './workspace.ts'

/** A request that is refused as a whole. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
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

/** A record as the sandbox shows it: its own fields between its identity and its history. */
export const shown = ({
  id,
  kind,
  version,
  deleted,
  created,
  modified,
  fields,
}: Stored): Fields => {
  const { [kind]: definition } = kinds
  const given = Object.keys(definition.fields.shape)
  // The table keeps no order of keys; a reader finds them as the kind names them.
  const names = new Set([...given, ...Object.keys(fields).sort()])
  const values: Fields = { ...fields }
  const own = Object.fromEntries([...names].map((name) => [name, values[name] ?? null]))
  return { id, ...own, version, created, modified, deleted }
}

/** An answer of JSON. */
export const json = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response => Response.json(body, { status, headers })

/** One record, with the version that a change of it has to name. */
export const recordAnswer = (status: number, record: Stored): Response =>
  json(status, shown(record), {
    etag: `"${record.version}"`,
    ...(status === 201 && { location: `/v1/${record.kind}/${record.id}` }),
  })

/** The answer to a request that failed for a reason of the caller's; anything else is thrown on. */
export const refusalAnswer = (error: unknown): Response => {
  if (error instanceof FieldError)
    return json(422, { error: { reason: error.reason, field: error.field } })
  if (error instanceof StateConflict)
    return json(409, { error: { reason: error.reason, field: null } })
  if (error instanceof Refusal)
    return json(error.status, { error: { reason: error.reason, field: null } }, error.headers)
  throw error
}
