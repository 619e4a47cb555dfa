/** Plans the selected fields of a record. */
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
import { type ReferencedRows, rowIdOf, type TreeRow } from '../../../store/records/tree.ts'
import { type ListArguments, readListArguments } from '../inputs.ts'
import type { VariableValues } from '../variables.ts'
import {
  createLevel,
  findOutgoing,
  type Level,
  type LevelSource,
  type OutgoingLink,
  type PlanContext,
  type PlanRecord,
  readLevel,
  requireRows,
  type WriteRecord,
} from './level.ts'
import { NotPlannedError } from './not-planned.ts'
import { checkCursors, planPage } from './page.ts'
import { type Part, type PlacedRecord, placeRecord } from './record-parts.ts'
import { type MergedField, selectedFields } from './selection.ts'
import { isStored, keyText, planValue, type ValuePath } from './value.ts'

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
  { selectionSets }: MergedField,
) => {
  const below = createLevel(target)
  const { write } = planRecord(context, below, selectionSets)
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
  selected: MergedField,
): WriteRecord => {
  const { index, write } = planReferenced(context, level, link, [link.name], selected)
  const { isList } = link.kind
  return (row, source) => {
    const rows = requireRows(source, index, 'reference')
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
  selected: MergedField,
): WriteRecord => {
  const plan = planPage(context, from, selected, planRecord)
  const read = (variables: VariableValues) => {
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
    const rows = requireRows({ links, credentialOf }, index, 'page')
    return plan.write({
      page: rows.pageOf(row),
      text: rows.textOf(row),
      total: rows.countOf(row),
      links: rows.links,
      credentialOf,
    })
  }
}

const planMember = (
  context: PlanContext,
  level: Level,
  graphField: GraphQLField<unknown, unknown>,
  selected: MergedField,
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
    planReferenced: (link: OutgoingLink, path: ValuePath, field: MergedField) => {
      const { index, write } = planReferenced(context, level, link, path, field)
      return (id: string, source: LevelSource) =>
        write(requireRows(source, index, 'reference'), id, source)
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
  selected: MergedField,
): Part => {
  const key = keyText(selected.as)
  const { name } = selected
  const { resource } = level
  if (name === '__typename') return { kind: 'constant', text: `${key}"${resource.typeName}"` }
  if (name === 'credentialId')
    return { kind: 'row', key, write: (row, { credentialOf }) => `"${credentialOf(rowIdOf(row))}"` }
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

export const planRecord: PlanRecord = (context, level, selectionSets) => {
  const type = context.schema.getType(level.resource.typeName)
  if (!isObjectType(type)) throw new NotPlannedError()
  const parts = selectedFields(context, type, selectionSets).map((selected) =>
    planPart(context, level, type, selected),
  )
  // Other selections may still add fields to the level: the parts are placed when the plan is first used.
  let placed: PlacedRecord | undefined
  const placeOnce = (): PlacedRecord => {
    placed ??= placeRecord(level, parts)
    return placed
  }
  return {
    write: (row, source) => placeOnce().write(row, source),
    isCopied: () => placeOnce().isCopied,
  }
}
