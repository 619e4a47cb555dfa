/** The fields of a record type or a nested object type, with links to referenced records. */
import type { Catalogue } from '../../definition/catalogue.ts'
import { linkName } from '../../definition/catalogue.ts'
import { referencedId } from '../../definition/identity.ts'
import type { Field, Fields, Shape } from '../../definition/kinds/kind.ts'
import { alwaysPresent } from '../../definition/resource.ts'
import type { Builder } from './builder.ts'
import type { Enums } from './enums.ts'
import type { GraphRecord } from './loaders.ts'

export const makeRecordType = (builder: Builder, name: string) =>
  builder.objectRef<GraphRecord>(name)

export type RecordType = ReturnType<typeof makeRecordType>

/** The dependencies for building the fields of a type. */
export interface TypeParts {
  readonly builder: Builder
  readonly catalogue: Catalogue
  readonly enums: Enums
  /** By topic. */
  recordType(topic: string): RecordType
  shapeType(shape: Shape): RecordType
}

/** The type that the fields belong to: a record or a nested object. */
export interface Owner {
  readonly typeName: string
  readonly recordName: string
  readonly isRecord: boolean
}

type FieldBuilder = Parameters<NonNullable<Parameters<RecordType['implement']>[0]['fields']>>[0]

/** The type of a value, or of one entry of a list. */
const valueType = (
  { enums, shapeType }: TypeParts,
  owner: Owner,
  fieldName: string,
  { kind: { graphql } }: Field,
) => {
  if ('enumeration' in graphql) return enums({ ...owner, fieldName }, graphql.enumeration)
  return 'shape' in graphql ? shapeType(graphql.shape) : graphql.scalar
}

const valueField = (
  t: FieldBuilder,
  parts: TypeParts,
  owner: Owner,
  name: string,
  field: Field,
) => {
  const type = valueType(parts, owner, name, field)
  const options = {
    description: field.doc,
    // The parent is the parsed JSON of a record, whose values match the kinds of its fields.
    resolve: (record: GraphRecord): never => record[name] as never,
  }
  return field.kind.isList
    ? t.field({ type: [type], nullable: false, ...options })
    : t.field({ type, nullable: !(owner.isRecord && alwaysPresent.has(name)), ...options })
}

/**
 * The link field of a reference: its name, and the field that resolves to the linked record or records.
 * Undefined if the field does not refer to another record: it is not a reference, it is the record's own id, or
 * it points inside a record.
 */
const linkField = (
  t: FieldBuilder,
  { catalogue, recordType }: TypeParts,
  name: string,
  field: Field,
) => {
  const { kind } = field
  if (!kind.reference || name === 'id') return
  const target = catalogue.find(kind.reference.target)
  if (target === undefined) return
  const description = field.doc
  const type = recordType(target.topic)
  const link = kind.isList
    ? t.field({
        type: [type],
        nullable: { list: false, items: true },
        description,
        resolve: (record, _args, { loaders }) => {
          // The store builds this field from a column of ids.
          const ids = record[name] as readonly string[]
          return Promise.all(ids.map((id) => loaders.record(target, id)))
        },
      })
    : t.field({
        type,
        description,
        resolve: (record, _args, { loaders }) => {
          const id = referencedId(record[name])
          return id === undefined ? null : loaders.record(target, id)
        },
      })
  return { name: linkName(name, kind), field: link }
}

/** Every field of a type, by its GraphQL name. */
export const fieldsOf = (t: FieldBuilder, parts: TypeParts, owner: Owner, fields: Fields) => {
  const graphFields: Record<string, ReturnType<typeof valueField>> = {}
  for (const [name, field] of Object.entries(fields)) {
    // An embedded reference is an object in REST, and the linked record itself in GraphQL.
    if (!field.kind.reference?.embeds) graphFields[name] = valueField(t, parts, owner, name, field)
    const link = linkField(t, parts, name, field)
    if (link === undefined) continue
    if (link.name in fields && link.name !== name)
      throw new TypeError(
        `${owner.typeName}: the link ${link.name} of ${name} has the name of another field.`,
      )
    graphFields[link.name] = link.field
  }
  return graphFields
}
