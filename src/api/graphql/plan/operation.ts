/** Plans an operation whose root fields are records: its data is written as text, from stored text. */
import { type GraphQLField, getArgumentValues, type OperationDefinitionNode } from 'graphql'
import type { Catalogue } from '../../../definition/catalogue.ts'
import type { Resource } from '../../../definition/resource.ts'
import { memoize } from '../../../memoize.ts'
import { countRecords, getRecords, listRecords } from '../../../store/records/records.ts'
import type { Scope } from '../../auth/caller.ts'
import type { GraphContext } from '../builder.ts'
import { type ListArguments, MAX_CURSOR_LENGTH } from '../inputs.ts'
import {
  findNode,
  type Node,
  readListRequest,
  readRecordId,
  type StalenessArgument,
} from '../record-requests.ts'
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

/** What plans depend on. */
export interface PlanContext extends SelectionContext {
  readonly catalogue: Catalogue
}

/** A selected field of the query type. */
interface Root {
  readonly field: GraphQLField<unknown, unknown>
  readonly selected: SelectedField
}

/** The root fields of records, by name. */
const rootFields = memoize((catalogue: Catalogue) => ({
  lists: new Map(catalogue.resources.map((resource) => [resource.listField, resource])),
  gets: new Map(catalogue.resources.map((resource) => [resource.getField, resource])),
}))

/** The arguments of a field; GraphQL has checked that they have the types of the schema. */
const argumentsOf = <Arguments>({ field, selected }: Root, variables: Variables): Arguments =>
  getArgumentValues(field, selected.node, variables) as Arguments

/** Leaves a wait for syncs to the resolvers, which would repeat it if the plan failed. @throws NotPlannedError */
const rejectStaleness = ({ maxStalenessSeconds }: StalenessArgument): void => {
  if (maxStalenessSeconds != null) throw new NotPlannedError()
}

const planList = (context: PlanContext, resource: Resource, root: Root): RunPlan => {
  const plan = planPage(context, resource, root.selected)
  return async (graphContext, variables) => {
    const { database, loaders } = graphContext
    const args = argumentsOf<ListArguments & Scope & StalenessArgument>(root, variables)
    rejectStaleness(args)
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
  { resource, id }: Node,
  write: WriteRecord,
): Promise<string> => {
  const key = { credentialId: loaders.credentialOf(id), id }
  const [document] = await getRecords(database, resource, [key], 'stored')
  return document === undefined ? 'null' : write(document, loaders.credentialOf)
}

const planGet = (context: PlanContext, resource: Resource, root: Root): RunPlan => {
  const write = planRecord(context, resource, root.selected.selectionSets)
  return async (graphContext, variables) => {
    const args = argumentsOf<{ credentialId: string; id: string } & StalenessArgument>(
      root,
      variables,
    )
    rejectStaleness(args)
    const id = await readRecordId(graphContext, resource, args)
    return readRecord(graphContext, { resource, id }, write)
  }
}

const planNode = (context: PlanContext, root: Root): RunPlan => {
  const { selectionSets } = root.selected
  const writers = new Map(
    context.catalogue.resources.map((resource) => [
      resource,
      planRecord(context, resource, selectionSets),
    ]),
  )
  return async (graphContext, variables) => {
    const found = await findNode(graphContext, argumentsOf<{ id: string }>(root, variables).id)
    const write = found && writers.get(found.resource)
    return write ? readRecord(graphContext, found, write) : 'null'
  }
}

const planRoot = (context: PlanContext, selected: SelectedField): RunPlan => {
  const { name } = selected
  if (name === '__typename') return async () => '"Query"'
  const field = context.schema.getQueryType()?.getFields()[name]
  if (field === undefined) throw new NotPlannedError()
  const root = { field, selected }
  const { lists, gets } = rootFields(context.catalogue)
  const listed = lists.get(name)
  if (listed) return planList(context, listed, root)
  const got = gets.get(name)
  if (got) return planGet(context, got, root)
  if (name === 'node') return planNode(context, root)
  throw new NotPlannedError()
}

/** Plans a query. @throws NotPlannedError if one of its fields is not planned */
export const planOperation = (
  context: PlanContext,
  { operation, selectionSet }: OperationDefinitionNode,
): RunPlan => {
  const type = context.schema.getQueryType()
  if (operation !== 'query' || !type) throw new NotPlannedError()
  const roots = selectedFields(context, type, [selectionSet]).map((selected) => ({
    key: keyText(selected.as),
    run: planRoot(context, selected),
  }))
  return async (graphContext, variables) => {
    const texts = await Promise.all(roots.map(({ run }) => run(graphContext, variables)))
    return `{${roots.map(({ key }, index) => key + texts[index]).join(',')}}`
  }
}
