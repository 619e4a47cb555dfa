/** Other records that a write changes in the app. */
import type { RecordName, ResourceWriter } from './connector.ts'
import { textsAt } from './raw-values.ts'

/**
 * Reads the records whose ids are at a path of the written record, by topic:
 * `{ 'commerce/products': 'lines.product.id' }`.
 */
export const recordsAt =
  (paths: Readonly<Record<string, string>>): NonNullable<ResourceWriter['sideEffects']> =>
  (remoteFields): readonly RecordName[] =>
    Object.entries(paths).flatMap(([topic, path]) =>
      textsAt(remoteFields, path).map((remoteId) => ({ topic, remoteId })),
    )
