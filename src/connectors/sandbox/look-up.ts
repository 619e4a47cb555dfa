/** Looks up ids of records that the caller names, because the sandbox requires ids. */
import { type Steps, WriteRejection } from '../../definition/connector.ts'
import type { Converter } from '../../definition/mapping/rule.ts'
import { readAll } from '../../definition/paging/compose.ts'
import { isObject } from '../../definition/value.ts'
import { pagesOf } from './listing.ts'

const ID = /^[a-z]+_\d{4,12}$/

/** Ids of the records with this name. Deleted records are skipped: no new reference to them is allowed. */
function* idsOf(kind: string, nameField: string, name: string): Steps<readonly string[]> {
  // The sandbox has no filter by name.
  const records = yield* readAll(pagesOf(kind))
  return records
    .filter(isObject)
    .filter((record) => record[nameField] === name && record.deleted !== true)
    .map(({ id }) => String(id))
}

/** Reads `from`, and writes the reference `to`; the value is the id or the name of a record of `kind`. */
export const idOrName = (kind: string, nameField: string, from: string, to = from): Converter => ({
  from,
  to,
  *apply(value, { path, put }) {
    const name = value === null ? null : String(value)
    if (name === null || ID.test(name)) return put(to, name, path)
    const [id, other] = yield* idsOf(kind, nameField, name)
    if (id === undefined)
      throw new WriteRejection(`The sandbox has no record with this name in ${kind}.`, path)
    if (other !== undefined)
      throw new WriteRejection(`Several records in ${kind} have this name. Pass an id.`, path)
    put(to, id, path)
  },
})
