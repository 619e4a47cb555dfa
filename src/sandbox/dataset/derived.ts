/** Initial records of the derived collections. */
import { catalogue } from '../../generated/catalogue.ts'
import { generateDerived } from '../generators/derived.ts'
import { derivedKinds, type KindInput, type KindName, kindNames, kinds } from '../kinds/kinds.ts'
import { type DatasetDraft, spread } from './draft.ts'

const COUNT = 12

/** Ids of earlier records of a topic, or of entries of their nested list: `commerce/products.variants`. */
const findIds = (draft: DatasetDraft, target: string, before: string): readonly string[] => {
  const [topic, list] = target.split('.')
  const kind = kindNames.find((name) => kinds[name].topic === topic)
  const records = kind ? draft.all(kind).filter(({ created }) => created < before) : []
  if (list === undefined) return records.map(({ id }) => id)
  return records
    .flatMap(({ fields }): unknown => Object(fields)[list] ?? [])
    .map((entry) => String(Object(entry).id))
}

/** Adds records of each derived collection, those that others reference first. */
export const draftDerived = (draft: DatasetDraft): void => {
  const pending = new Map(derivedKinds)
  const fill = (topic: string, kind: KindName): void => {
    pending.delete(topic)
    const resource = catalogue.get(topic)
    for (const {
      kind: { reference },
    } of Object.values(resource.fields)) {
      const target = reference && pending.get(reference.target)
      if (reference && target) fill(reference.target, target)
    }
    for (const [index, daysAgo] of spread(COUNT, 200, 3).entries()) {
      const random = draft.random(kind, index)
      const created = draft.instant(daysAgo)
      const input = generateDerived(resource, random, (target) => findIds(draft, target, created))
      // Safe cast: the schema of the kind validates the input.
      draft.put(kind, input as KindInput<KindName>, created)
    }
  }
  for (const [topic, kind] of derivedKinds) if (pending.has(topic)) fill(topic, kind)
}
