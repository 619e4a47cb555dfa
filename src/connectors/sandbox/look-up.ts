/** Records that are given by name where the sandbox wants their ids. */
import { type Json, type Steps, WriteRefusal } from '../../definition/connector.ts'
import { isObject } from '../../definition/value.ts'
import type { Rule } from './inverse.ts'
import { listingPath, readList } from './listing.ts'

const ID = /^[a-z]+_\d{4,12}$/

/** The ids of the records of that name; deleted records have none that could be named anew. */
function* idsOf(kind: string, nameField: string, name: string): Steps<readonly string[]> {
  const ids: string[] = []
  let cursor: Json | undefined
  do {
    const position = { since: undefined, cursor }
    // The sandbox cannot be asked for a name.
    const { records, next } = readList(yield { method: 'GET', path: listingPath(kind, position) })
    for (const record of records)
      if (isObject(record) && record[nameField] === name && record.deleted !== true)
        ids.push(String(record.id))
    cursor = next
  } while (cursor !== undefined)
  return ids
}

/** The record of a collection that is told as `to`, given by its id or its name. */
export const found = (kind: string, nameField: string, to: string): Rule => ({
  to: [to],
  *ask(value, path, draft) {
    const name = value === null ? null : String(value)
    if (name === null || ID.test(name)) return draft.put(to, name, path)
    const [id, other] = yield* idsOf(kind, nameField, name)
    if (id === undefined) throw new WriteRefusal(`The sandbox has no such name in ${kind}.`, path)
    if (other !== undefined)
      throw new WriteRefusal(`The sandbox has several of that name in ${kind}.`, path)
    draft.put(to, id, path)
  },
})
