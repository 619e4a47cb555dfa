/** What a request body changes, for apps that refuse, or notice, fields without a change. */
import { matchesJson } from '../matching.ts'
import { isObject } from '../value.ts'
import type { JsonObject } from './rule.ts'

/**
 * The fields of a body that differ from the record in the app. Empty values are equal; objects of the record may have
 * other fields in addition.
 */
export const changedFields = (body: JsonObject, stored: unknown): JsonObject => {
  const before = isObject(stored) ? stored : {}
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => !matchesJson(before[name], value)),
  )
}
