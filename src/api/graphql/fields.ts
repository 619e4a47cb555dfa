/** The fields of a record or of an object nested in one, with links to the records they refer to. */
import type { Catalogue } from '../../definition/catalogue.ts'
import { linkName } from '../../definition/catalogue.ts'
import type { Field, Fields, Shape } from '../../definition/field.ts'
import { referencedId } from '../../definition/identity.ts'
import { alwaysPresent } from '../../definition/resource.ts'
import type { Builder } from './builder.ts'
import type { Enums } from './enums.ts'
import type { GraphRecord } from './loaders.ts'

export const makeRecordType = (builder: Builder, name: string) =>
  builder.objectRef<GraphRecord>(name)

export type RecordType = ReturnType<typeof makeRecordType>

/** What the fields of a type refer to. */
export interface TypeParts {
  readonly builder: Builder
  readonly catalogue: Catalogue
  readonly enums: Enums
  /** By topic. */
  recordType(topic: string): RecordType
  shapeType(shape: Shape): RecordType
}

/** The scalar of each kind of field that has one. */
export const scalars = {
  text: 'String',
  label: 'String',
  integer: 'Int',
  number: 'Float',
  decimal: 'Decimal',
  boolean: 'Boolean',
  timestamp: 'DateTime',
  date: 'DateTime',
  json: 'JSON',
  reference: 'ID',
} as const

/** The type whose fields are made: a record, or an object nested in one. */
export interface Owner {
  readonly typeName: string
  readonly recordName: string
  readonly isRecord: boolean
}

type FieldBuilder = Parameters<NonNullable<Parameters<RecordType['implement']>[0]['fields']>>[0]

const valueField = (
  t: FieldBuilder,
  { enums, shapeType }: TypeParts,
  owner: Owner,
  name: string,
  field: Field,
) => {
  const { doc: description } = field
  // The parent is the parsed JSON of a record: a field of a kind holds that kind's values.
  const resolve = (record: GraphRecord): never => record[name] as never
  switch (field.kind) {
    case 'enumeration':
      return t.field({
        type: enums({ ...owner, fieldName: name }, field),
        description,
        resolve,
      })
    case 'references':
      return t.field({ type: ['ID'], nullable: false, description, resolve })
    case 'texts':
      return t.field({ type: ['String'], nullable: false, description, resolve })
    case 'list':
      return t.field({ type: [shapeType(field.shape)], nullable: false, description, resolve })
    case 'object':
      return t.field({ type: shapeType(field.shape), description, resolve })
    default:
      return t.field({
        type: scalars[field.kind],
        nullable: !(owner.isRecord && alwaysPresent.has(name)),
        description,
        resolve,
      })
  }
}

/**
 * The linked record, or records, of a reference, by the name of the link; undefined if the field is no
 * reference to another record: it is none at all, the record's own id, or points inside a record.
 */
const linkField = (
  t: FieldBuilder,
  { catalogue, recordType }: TypeParts,
  name: string,
  field: Field,
) => {
  if (!('target' in field) || name === 'id') return
  const target = catalogue.find(field.target)
  if (target === undefined) return
  const description = field.doc
  const type = recordType(target.topic)
  const made =
    field.kind === 'references'
      ? t.field({
          type: [type],
          nullable: { list: false, items: true },
          description,
          resolve: (record, _args, { loaders }) => {
            // A field of ids: the store builds it from a column of ids.
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
  return { name: linkName(name, field), field: made }
}

/** Every field of a type, by its GraphQL name. */
export const fieldsOf = (t: FieldBuilder, parts: TypeParts, owner: Owner, fields: Fields) => {
  const made: Record<string, ReturnType<typeof valueField>> = {}
  for (const [name, field] of Object.entries(fields)) {
    // An embedded reference is an object in REST: here it is the linked record itself.
    if (!(field.kind === 'reference' && field.embeds))
      made[name] = valueField(t, parts, owner, name, field)
    const link = linkField(t, parts, name, field)
    if (link === undefined) continue
    if (link.name in fields && link.name !== name)
      throw new TypeError(`${owner.typeName}: the link ${link.name} of ${name} is a field already.`)
    made[link.name] = link.field
  }
  return made
}
