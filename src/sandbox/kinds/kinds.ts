/** The collections of the sandbox, by the name in their paths. */
import type { z } from 'zod'
import { mapReferences } from '../../definition/kinds/shape.ts'
import { catalogue } from '../../generated/catalogue.ts'
import type { SandboxRow } from '../../store/sandbox/sandbox-records.ts'
import { bookKinds } from './books.ts'
import { resourceKind } from './derived.ts'
import { documentKinds } from './documents.ts'
import type { SandboxFields, SandboxKind } from './kind.ts'
import { salesKinds } from './sales.ts'
import { shopKinds } from './shop.ts'

/** The collections that belong to the company. Each references only itself and collections above it. */
const written = { ...bookKinds, ...documentKinds, ...salesKinds, ...shopKinds }

const topics: ReadonlySet<string> = new Set(Object.values(written).map(({ topic }) => topic))

/** The collections by name, with a derived one for each other resource of the catalogue. */
export const kinds: typeof written = {
  ...written,
  ...Object.fromEntries(
    catalogue.resources
      .filter(({ topic }) => !topics.has(topic))
      // Ids are like `crmcampaign_0001`.
      .map((resource) => [resource.table, resourceKind(resource, resource.typeName.toLowerCase())]),
  ),
}

/** The name of a collection; the derived ones are not listed in the type. */
export type KindName = keyof typeof kinds

/** The form of stored records. Raise it if the kinds cannot read the records of the version before. */
export const RECORD_FORM = 4

/** Names of all collections. */
// Safe cast: the keys of `kinds` are the kind names.
export const kindNames = Object.keys(kinds) as KindName[]

/** The names of the collections, by topic. */
export const kindOfTopic: ReadonlyMap<string, KindName> = new Map(
  kindNames.map((name) => [kinds[name].topic, name]),
)

/** The derived collections, by topic. */
export const derivedKinds: ReadonlyMap<string, KindName> = new Map(
  [...kindOfTopic].filter(([topic]) => !topics.has(topic)),
)

/** The references to records in the fields of a record, each with its path: `lineItems.0.accountId`. */
export const referencesIn = (kind: KindName, fields: SandboxFields) => {
  const references: { readonly path: string; readonly kind: KindName; readonly id: string }[] = []
  // Safe cast: the schema of the kind has validated the fields.
  const values = fields as Parameters<typeof mapReferences>[1]
  mapReferences(kinds[kind].definitions, values, ({ path, target, value }) => {
    // An entry of a list in another record, such as a variant, is not a record.
    const referenced = kindOfTopic.get(target)
    const dotted = path.replace(/\[(\d{1,4})\]/g, '.$1')
    if (referenced) references.push({ path: dotted, kind: referenced, id: value })
    return value
  })
  return references
}

/** Definition of a kind by an untrusted name; undefined if it does not exist. */
export const kindOf = (name: string): SandboxKind | undefined =>
  Object.hasOwn(kinds, name) ? kinds[name as KindName] : undefined

/** Input fields of a write. */
export type KindInput<K extends KindName> = z.input<(typeof kinds)[K]['fields']>

type Completed<K extends KindName> = ReturnType<(typeof kinds)[K]['complete']>

/** The fields of a record: input, defaults and computed fields. */
export type FieldsOf<K extends KindName> = Omit<
  z.output<(typeof kinds)[K]['fields']>,
  keyof Completed<K>
> &
  Completed<K>

/** A stored record; its kind decides the type of its fields. */
export type SandboxRecord<K extends KindName = KindName> = {
  [Name in K]: SandboxRow & { readonly kind: Name; readonly fields: FieldsOf<Name> }
}[K]
