/** Merges of names: one takes over everything that refers to the other, which ceases to exist. */
import { isJsonObject, type Json, type JsonObject } from '../engine/json.ts'
import { type Company, referenceId } from './company.ts'
import { entities, entityNamed } from './entities.ts'
import { notFound, unsupportedOperation } from './faults.ts'
import { labelOf } from './references.ts'
import { rewriterOf } from './writes.ts'

/** Lists whose entries users can merge, with the references to them. */
const REFERENCES: Readonly<Record<string, readonly string[]>> = {
  Customer: ['CustomerRef'],
  Vendor: ['VendorRef', 'PrefVendorRef'],
  Item: ['ItemRef'],
}

const replaceReferences = (
  value: Json | undefined,
  fields: readonly string[],
  from: string,
  to: JsonObject,
): Json | undefined => {
  if (Array.isArray(value))
    return value.map((part) => replaceReferences(part, fields, from, to) ?? null)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, part]) =>
      fields.includes(field) && referenceId(part) === from
        ? [field, to]
        : [field, replaceReferences(part, fields, from, to)],
    ),
  )
}

/**
 * Merges the first record into the second, as a user does who gives both the same name.
 * @throws FaultException 610 if one does not exist, 500 if the list has no merges
 */
export const mergeRecords = (
  company: Company,
  entity: string,
  from: string,
  into: string,
): void => {
  const fields = REFERENCES[entityNamed(entity).name]
  if (fields === undefined) throw unsupportedOperation(`merge of ${entity}`)
  const survivor = company.stored(entity, into)
  if (!survivor || !company.stored(entity, from)) throw notFound('One of the records to be merged.')
  const to = { value: into, name: labelOf(survivor) }
  const rewrite = rewriterOf(company)
  company.store.transaction(() => {
    for (const { name } of entities.values())
      for (const { value } of company.store.list(name)) {
        const changed = replaceReferences(value, fields, from, to)
        if (isJsonObject(changed) && JSON.stringify(changed) !== JSON.stringify(value))
          rewrite(name, changed)
      }
    company.mergedInto.set(`${entity} ${from}`, into)
    company.store.remove(entity, from, 'merged')
    rewrite(entity, survivor)
  })
}
