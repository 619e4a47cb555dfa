/** Plans the root fields of an operation that are records: their data is written as text, from stored text. */
import { type GraphQLField, getArgumentValues, type OperationDefinitionNode } from 'graphql'
import type { Catalogue } from '../../../definition/catalogue.ts'
import { routeOf } from '../../../definition/identity.ts'
import type { Resource } from '../../../definition/resource.ts'
import { memoize } from '../../../memoize.ts'
import { getTree, listTree } from '../../../store/records/record-tree.ts'
import type { Scope } from '../../auth/caller.ts'
import type { GraphContext } from '../builder.ts'
import type { ListArguments } from '../inputs.ts'
import {
  findNode,
  type Node,
  readListRequest,
  readRecordId,
  type StalenessArgument,
} from '../record-requests.ts'
import type { VariableValues } from '../variables.ts'
import {
  checkLevels,
  createLevel,
  type Level,
  type PlanContext,
  readLevel,
  type WriteRecord,
} from './level.ts'
import { NotPlannedError } from './not-planned.ts'
import { checkCursors, planPage } from './page.ts'
import { planRecord } from './record.ts'
import { type MergedField, selectedFields } from './selection.ts'

/**
 * Runs a planned root field and returns the JSON text of its value.
 * @throws what its resolvers would report, or NotPlannedError: the resolvers run it instead
 */
type RunField = (context: GraphContext, variables: VariableValues) => Promise<string>

/** A root field of an operation. */
export interface RootPlan {
  readonly selected: MergedField
  /** Undefined: the resolvers run the operation. */
  readonly run: RunField | undefined
}

/** A selected field of the query type. */
interface Root {
  readonly field: GraphQLField<unknown, unknown>
  readonly selected: MergedField
}

/** The root fields of records, by name. */
const rootFields = memoize((catalogue: Catalogue) => ({
  lists: new Map(catalogue.resources.map((resource) => [resource.listField, resource])),
  gets: new Map(catalogue.resources.map((resource) => [resource.getField, resource])),
}))

/** The arguments of a field; GraphQL has checked that they have the types of the schema. */
const argumentsOf = <Arguments>({ field, selected }: Root, variables: VariableValues): Arguments =>
  getArgumentValues(field, selected.node, variables) as Arguments

/** Leaves a wait for syncs to the resolvers, which would repeat it if the plan failed. @throws NotPlannedError */
const rejectStaleness = ({ maxStalenessSeconds }: StalenessArgument): void => {
  if (maxStalenessSeconds != null) throw new NotPlannedError()
}

const planList = (context: PlanContext, resource: Resource, root: Root): RunField => {
  const plan = planPage(context, resource, root.selected, planRecord)
  checkLevels(plan.level)
  return async (graphContext, variables) => {
    const { database, loaders } = graphContext
    const args = argumentsOf<ListArguments & Scope & StalenessArgument>(root, variables)
    rejectStaleness(args)
    checkCursors(args)
    const request = await readListRequest(graphContext, resource, args)
    const read = { page: plan.read(request, variables), hasCount: plan.hasCount }
    const list = await listTree(database, request, read)
    return plan.write({ ...list, credentialOf: loaders.credentialOf })
  }
}

interface PlannedRecord {
  readonly level: Level
  readonly write: WriteRecord
}

const planOne = (
  context: PlanContext,
  resource: Resource,
  { selectionSets }: MergedField,
): PlannedRecord => {
  const level = createLevel(resource)
  const { write } = planRecord(context, level, selectionSets)
  checkLevels(level)
  return { level, write }
}

/** Reads one record; the text is `null` if it does not exist. */
const readOne = async (
  { database, loaders }: GraphContext,
  variables: VariableValues,
  id: string,
  { level, write }: PlannedRecord,
): Promise<string> => {
  const { credentialOf } = loaders
  const key = { credentialId: credentialOf(id), id }
  const { row, links } = await getTree(database, key, readLevel(level, variables))
  return row === undefined ? 'null' : write(row, { links, credentialOf })
}

const planGet = (context: PlanContext, resource: Resource, root: Root): RunField => {
  const planned = planOne(context, resource, root.selected)
  return async (graphContext, variables) => {
    const args = argumentsOf<{ credentialId: string; id: string } & StalenessArgument>(
      root,
      variables,
    )
    rejectStaleness(args)
    const id = await readRecordId(graphContext, resource, args)
    return readOne(graphContext, variables, id, planned)
  }
}

const planNode = (context: PlanContext, root: Root): RunField => {
  const plans = new Map(
    context.catalogue.resources.map((resource) => [
      resource,
      planOne(context, resource, root.selected),
    ]),
  )
  return async (graphContext, variables) => {
    const { id } = argumentsOf<Pick<Node, 'id'>>(root, variables)
    // An object of the control plane.
    if (routeOf(id.toLowerCase()) === undefined) throw new NotPlannedError()
    const found = await findNode(graphContext, id)
    const planned = found && plans.get(found.resource)
    return planned ? readOne(graphContext, variables, found.id, planned) : 'null'
  }
}

const planField = (context: PlanContext, selected: MergedField): RunField => {
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

const planRoot = (context: PlanContext, selected: MergedField): RootPlan => {
  try {
    return { selected, run: planField(context, selected) }
  } catch (error) {
    if (error instanceof NotPlannedError) return { selected, run: undefined }
    throw error
  }
}

/** Plans the root fields of a query, in the order of the response. */
export const planOperation = (
  context: PlanContext,
  { selectionSet }: OperationDefinitionNode,
): readonly RootPlan[] => {
  const type = context.schema.getQueryType()
  if (!type) return []
  return selectedFields(context, type, [selectionSet]).map((selected) =>
    planRoot(context, selected),
  )
}
