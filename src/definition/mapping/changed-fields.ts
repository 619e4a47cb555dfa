/** What a request body changes, for apps that reject, or notice, fields without a change. */
import type { Json } from '../json.ts'
import { matchesJson } from '../matching.ts'
import { isObject } from '../value.ts'
import type { JsonObject } from './rule.ts'

/**
 * The fields of a body that differ from the record in the app. Undefined is not written; empty values are equal;
 * objects of the record may have other fields in addition.
 */
export const changedFields = (
  body: Readonly<Record<string, Json | undefined>>,
  stored: unknown,
): JsonObject => {
  const before = isObject(stored) ? stored : {}
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      value === undefined || matchesJson(before[name], value) ? [] : [[name, value]],
    ),
  )
}
