/** Plans an operation whose root fields are records: its data is written as text, from stored text. */
import {
  type GraphQLField,
  getArgumentValues,
  getNamedType,
  isObjectType,
  type OperationDefinitionNode,
} from 'graphql'
import type { Catalogue } from '../../../definition/catalogue.ts'
import type { Resource } from '../../../definition/resource.ts'
import { memoize } from '../../../memoize.ts'
import { countRecords, getRecords, listRecords } from '../../../store/records/records.ts'
import type { Scope } from '../../auth/caller.ts'
import type { GraphContext } from '../builder.ts'
import { type ListArguments, MAX_CURSOR_LENGTH } from '../inputs.ts'
import { findNode, readListRequest, readRecordId } from '../record-requests.ts'
import type { Variables } from '../variables.ts'
import { NotPlannedError } from './not-planned.ts'
import { planPage } from './page.ts'
import { planRecord, type WriteRecord } from './record.ts'
import { type SelectedField, type SelectionContext, selectedFields } from './selection.ts'
import { keyText } from './value.ts'

/**
 * Runs a planned operation and returns the JSON text of its data.
 * @throws what its resolvers would report at a field, or NotPlannedError: the resolvers answer instead
 */
export type RunPlan = (context: GraphContext, variables: Variables) => Promise<string>

type RootField = GraphQLField<unknown, unknown>

/** The root fields of records, by name. */
const rootFields = memoize((catalogue: Catalogue) => ({
  lists: new Map(catalogue.resources.map((resource) => [resource.listField, resource])),
  gets: new Map(catalogue.resources.map((resource) => [resource.getField, resource])),
}))

/** The arguments of a field; GraphQL has checked that they have the types of the schema. */
const argumentsOf = <Arguments>(
  field: RootField,
  { node }: SelectedField,
  variables: Variables,
): Arguments => getArgumentValues(field, node, variables) as Arguments

const planList = (
  context: SelectionContext,
  resource: Resource,
  field: RootField,
  selected: SelectedField,
): RunPlan => {
  const type = getNamedType(field.type)
  if (!isObjectType(type)) throw new NotPlannedError()
  const plan = planPage(context, resource, type, selected)
  return async (graphContext, variables) => {
    const { database, loaders } = graphContext
    const args = argumentsOf<ListArguments & Scope>(field, selected, variables)
    for (const cursor of [args.after, args.before])
      if (cursor && cursor.length > MAX_CURSOR_LENGTH) throw new NotPlannedError()
    const request = await readListRequest(graphContext, resource, args)
    const [page, total] = await Promise.all([
      listRecords(database, request, 'stored'),
      plan.counts ? countRecords(database, request) : undefined,
    ])
    return plan.write({ page, total, credentialOf: loaders.credentialOf })
  }
}

/** Reads one record; the text is `null` if it does not exist. */
const readRecord = async (
  { database, loaders }: GraphContext,
  resource: Resource,
  id: string,
  write: WriteRecord,
): Promise<string> => {
  const key = { credentialId: loaders.credentialOf(id), id }
  const [document] = await getRecords(database, resource, [key], 'stored')
  return document === undefined ? 'null' : write(document, loaders.credentialOf)
}

const planGet = (
  context: SelectionContext,
  resource: Resource,
  field: RootField,
  selected: SelectedField,
): RunPlan => {
  const write = planRecord(context, resource, selected.selectionSets)
  return async (graphContext, variables) => {
    const args = argumentsOf<{ credentialId: string; id: string }>(field, selected, variables)
    const id = await readRecordId(graphContext, resource, args)
    return readRecord(graphContext, resource, id, write)
  }
}

const planNode = (
  context: SelectionContext,
  field: RootField,
  selected: SelectedField,
): RunPlan => {
  const writerOf = memoize((resource: Resource) =>
    planRecord(context, resource, selected.selectionSets),
  )
  return async (graphContext, variables) => {
    const found = await findNode(
      graphContext,
      argumentsOf<{ id: string }>(field, selected, variables).id,
    )
    if (found === undefined) return 'null'
    return readRecord(graphContext, found.resource, found.id, writerOf(found.resource))
  }
}

const planRoot = (
  catalogue: Catalogue,
  context: SelectionContext,
  selected: SelectedField,
): RunPlan => {
  const { name } = selected
  if (name === '__typename') return async () => '"Query"'
  const field = context.schema.getQueryType()?.getFields()[name]
  if (field === undefined) throw new NotPlannedError()
  const { lists, gets } = rootFields(catalogue)
  const listed = lists.get(name)
  if (listed) return planList(context, listed, field, selected)
  const got = gets.get(name)
  if (got) return planGet(context, got, field, selected)
  if (name === 'node') return planNode(context, field, selected)
  throw new NotPlannedError()
}

/** Plans a query. @throws NotPlannedError if one of its fields is not planned */
export const planOperation = (
  catalogue: Catalogue,
  context: SelectionContext,
  { operation, selectionSet }: OperationDefinitionNode,
): RunPlan => {
  const type = context.schema.getQueryType()
  if (operation !== 'query' || !type) throw new NotPlannedError()
  const roots = selectedFields(context, type, [selectionSet]).map((selected) => ({
    key: keyText(selected.as),
    run: planRoot(catalogue, context, selected),
  }))
  return async (graphContext, variables) => {
    const texts = await Promise.all(roots.map(({ run }) => run(graphContext, variables)))
    return `{${roots.map(({ key }, index) => key + texts[index]).join(',')}}`
  }
}
