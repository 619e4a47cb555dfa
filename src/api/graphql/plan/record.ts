/** Writes the selected fields of a record from its stored JSON text: most of the text is copied unparsed. */
import {
  type GraphQLField,
  type GraphQLObjectType,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isObjectType,
  isScalarType,
} from 'graphql'
import type { IncomingReference } from '../../../definition/catalogue.ts'
import { documentColumns } from '../../../definition/column.ts'
import { createMemberFinder, type Member } from '../../../query/record-members.ts'
import { idOf, type ReferencedRows, type TreeRow } from '../../../store/records/tree.ts'
import { type ListArguments, readListArguments } from '../inputs.ts'
import type { Variables } from '../variables.ts'
import {
  createLevel,
  findOutgoing,
  type Level,
  type LevelSource,
  type OutgoingLink,
  type PlanContext,
  type PlanRecord,
  readLevel,
  rowsOf,
  textFields,
  type WriteRecord,
} from './level.ts'
import { NotPlannedError } from './not-planned.ts'
import { checkCursors, planPage } from './page.ts'
import { type SelectedField, selectedFields } from './selection.ts'
import { isStored, keyText, planValue, type ValuePath, type WriteValue } from './value.ts'

/** A part of the response: constant text, a stored member, or what is written from the row. */
type Part =
  | { readonly kind: 'constant'; readonly text: string }
  /** Copied with its name. */
  | { readonly kind: 'member'; readonly name: string }
  | {
      readonly kind: 'value'
      readonly key: string
      readonly name: string
      readonly convert: WriteValue | undefined
    }
  | { readonly kind: 'row'; readonly key: string; readonly write: WriteRecord }

/** A part whose members have their indexes in the text; members that follow each other are copied together. */
type PlacedPart =
  | Exclude<Part, { readonly kind: 'member' | 'value' }>
  | { readonly kind: 'members'; readonly from: number; readonly to: number }
  | {
      readonly kind: 'value'
      readonly key: string
      readonly at: number
      /** The length of the stored name with its quotation marks and colon. */
      readonly nameLength: number
      readonly convert: WriteValue | undefined
    }

/** The members of the text of a level's records. */
const membersOf = (level: Level): readonly Member[] => {
  const fields = textFields(level)
  return [
    { name: 'id', isNested: false },
    ...documentColumns(level.resource)
      .filter(({ field }) => fields === undefined || fields.has(field))
      .map(({ field, sqlType }) => ({
        name: field,
        isNested: sqlType === 'jsonb' || sqlType.endsWith('[]'),
      })),
  ]
}

/** The scalars whose values are guaranteed by the types of their columns. */
const GUARANTEED: ReadonlySet<string> = new Set([
  'String',
  'ID',
  'Int',
  'Boolean',
  'DateTime',
  'Decimal',
  'JSON',
])

/** Plans a link to the records with the ids at a path of the level's records; returns its index and its writer. */
const planReferenced = (
  context: PlanContext,
  level: Level,
  { target }: OutgoingLink,
  path: ValuePath,
  { selectionSets }: SelectedField,
) => {
  const below = createLevel(target)
  const write = planRecord(context, below, selectionSets)
  const index =
    level.links.push({
      below,
      read: (variables) => ({ kind: 'reference', path, level: readLevel(below, variables) }),
    }) - 1
  // Several records may refer to one, whose text is the same.
  const written = new WeakMap<TreeRow, string>()
  return {
    index,
    write: (rows: ReferencedRows, id: string, { credentialOf }: LevelSource): string => {
      const row = rows.find(id)
      if (row === undefined) return 'null'
      const text = written.get(row) ?? write(row, { links: rows.links, credentialOf })
      written.set(row, text)
      return text
    },
  }
}

/** Plans a link to the records that a reference of the record points to. */
const planOutgoing = (
  context: PlanContext,
  level: Level,
  link: OutgoingLink,
  selected: SelectedField,
): WriteRecord => {
  const { index, write } = planReferenced(context, level, link, [link.name], selected)
  const { isList } = link.kind
  return (row, source) => {
    const rows = rowsOf(source, index, 'reference')
    const texts = rows.idsOf(row).map((id) => write(rows, id, source))
    return isList ? `[${texts.join(',')}]` : (texts[0] ?? 'null')
  }
}

/** Plans a link to the records that refer to the record. */
const planIncoming = (
  context: PlanContext,
  level: Level,
  { from, field }: IncomingReference,
  graphField: GraphQLField<unknown, unknown>,
  selected: SelectedField,
): WriteRecord => {
  const plan = planPage(context, from, selected, planRecord)
  const read = (variables: Variables) => {
    // GraphQL has checked that the arguments have the types of the schema.
    const args = getArgumentValues(graphField, selected.node, variables) as ListArguments
    checkCursors(args)
    const list = readListArguments(context.catalogue, from, args)
    const request = { resource: from, field, ...list }
    // The values are read from the record; which records may have it depends on the batches of the loaders.
    for (const position of [request.page.after, request.page.before])
      if (position && position.values === undefined) throw new NotPlannedError()
    const page = plan.read(request, variables)
    return { kind: 'page', request, page, hasCount: plan.hasCount } as const
  }
  const index = level.links.push({ below: plan.level, read }) - 1
  return (row, { links, credentialOf }) => {
    const rows = rowsOf({ links, credentialOf }, index, 'page')
    const page = rows.pageOf(row)
    return plan.write({ page, total: rows.countOf(row), links: rows.links, credentialOf })
  }
}

const planMember = (
  context: PlanContext,
  level: Level,
  graphField: GraphQLField<unknown, unknown>,
  selected: SelectedField,
): Part => {
  const { as, name } = selected
  const { allFields } = level.resource
  if (name !== 'id' && !isStored(allFields, name)) throw new NotPlannedError()
  if (name !== 'id') level.fields.add(name)
  const { type } = graphField
  const isGuaranteed =
    isScalarType(getNullableType(type)) && GUARANTEED.has(getNamedType(type).name)
  if (isGuaranteed && as === name) return { kind: 'member', name }
  const valueContext = {
    ...context,
    planReferenced: (link: OutgoingLink, path: ValuePath, field: SelectedField) => {
      const { index, write } = planReferenced(context, level, link, path, field)
      return (id: string, source: LevelSource) =>
        write(rowsOf(source, index, 'reference'), id, source)
    },
  }
  const valueType = { type, fields: allFields[name]?.kind.fields ?? {}, path: [name] as const }
  const convert = isGuaranteed ? undefined : planValue(valueContext, valueType, selected)
  return { kind: 'value', key: keyText(as), name, convert }
}

const planPart = (
  context: PlanContext,
  level: Level,
  type: GraphQLObjectType,
  selected: SelectedField,
): Part => {
  const key = keyText(selected.as)
  const { name } = selected
  const { resource } = level
  if (name === '__typename') return { kind: 'constant', text: `${key}"${resource.typeName}"` }
  if (name === 'credentialId')
    return { kind: 'row', key, write: (row, { credentialOf }) => `"${credentialOf(idOf(row))}"` }
  if (name === 'customFields') {
    level.hasCustomFields = true
    return { kind: 'row', key, write: ({ customFields }) => customFields }
  }
  const graphField = type.getFields()[name]
  if (graphField === undefined) throw new NotPlannedError()
  const outgoing = findOutgoing(context, resource.allFields, name)
  if (outgoing) return { kind: 'row', key, write: planOutgoing(context, level, outgoing, selected) }
  const incoming = context.catalogue.incoming(resource.topic).find(({ as }) => as === name)
  if (incoming)
    return { kind: 'row', key, write: planIncoming(context, level, incoming, graphField, selected) }
  return planMember(context, level, graphField, selected)
}

const placeParts = (parts: readonly Part[], members: readonly Member[]): readonly PlacedPart[] => {
  const indexes = new Map(members.map(({ name }, index) => [name, index]))
  const indexOf = (name: string): number => {
    const at = indexes.get(name)
    if (at === undefined) throw new NotPlannedError()
    return at
  }
  const placed: PlacedPart[] = []
  for (const part of parts) {
    const last = placed.at(-1)
    if (part.kind === 'member') {
      const at = indexOf(part.name)
      if (last?.kind === 'members' && last.to + 1 === at)
        placed[placed.length - 1] = { ...last, to: at }
      else placed.push({ kind: 'members', from: at, to: at })
    } else if (part.kind === 'value') {
      const { name, ...rest } = part
      placed.push({ ...rest, at: indexOf(name), nameLength: name.length + 3 })
    } else placed.push(part)
  }
  return placed
}

/** The members whose positions the parts need. */
const positionsOf = (parts: readonly PlacedPart[]): ReadonlySet<number> =>
  new Set(
    parts.flatMap((part) => {
      if (part.kind === 'members') return [part.from, part.to + 1]
      return part.kind === 'value' ? [part.at, part.at + 1] : []
    }),
  )

const createWriter = (level: Level, planned: readonly Part[]): WriteRecord => {
  const members = membersOf(level)
  const parts = placeParts(planned, members)
  const find = createMemberFinder(members, positionsOf(parts))
  return (row, source) => {
    const { text: document } = row
    const places = find(document)
    /** The position of a member's name; the text between two members is a comma. */
    const place = (index: number): number => places[index] ?? Number.NaN
    let text = '{'
    for (let index = 0; index < parts.length; index++) {
      if (index > 0) text += ','
      const part = parts[index] as PlacedPart
      if (part.kind === 'constant') text += part.text
      else if (part.kind === 'members')
        text += document.slice(place(part.from), place(part.to + 1) - 1)
      else if (part.kind === 'row') text += part.key + part.write(row, source)
      else {
        const from = place(part.at) + part.nameLength
        text += part.key
        text += part.convert
          ? part.convert({ text: document, at: from }, source)
          : document.slice(from, place(part.at + 1) - 1)
      }
    }
    return `${text}}`
  }
}

export const planRecord: PlanRecord = (context, level, selectionSets) => {
  const type = context.schema.getType(level.resource.typeName)
  if (!isObjectType(type)) throw new NotPlannedError()
  const parts = selectedFields(context, type, selectionSets).map((selected) =>
    planPart(context, level, type, selected),
  )
  // Other selections may still add fields to the level: the writer is created when it is first used.
  let writer: WriteRecord | undefined
  return (row, source) => {
    writer ??= createWriter(level, parts)
    return writer(row, source)
  }
}
