/** The GraphQL fields of the links between objects of the control plane. */
import { readInput } from '../../query/input.ts'
import { DEFAULT_PAGE_SIZE } from '../../query/list-request.ts'
import type { Listed } from '../../query/listed.ts'
import { type ListEdge, listEdges, type ObjectEdge, objectEdges } from '../edges.ts'
import type { EntityValues } from '../entities.ts'
import { checkCaller, type ForwardArguments, readPageArguments } from '../run-operation.ts'
import { type Builder, callerOf, type GraphContext } from './builder.ts'
import { listCost } from './cost.ts'
import type { InputTypes } from './input-types.ts'
import type { OperationTypes } from './operation-types.ts'
import { pageArguments } from './operations.ts'

/** @throws UNAUTHENTICATED, FORBIDDEN */
const loadObject = async (
  { from, name, callers, keyOf, read }: ObjectEdge,
  values: EntityValues,
  context: GraphContext,
): Promise<EntityValues | null> => {
  const caller = callerOf(context)
  checkCaller(callers, caller)
  const found = await context.loaders.load(`${from.name}.${name}`, keyOf(values), (keys) =>
    read({ ...context, caller }, keys),
  )
  return found ?? null
}

/** @throws UNAUTHENTICATED, FORBIDDEN, INVALID_PARAMETER, INVALID_CURSOR */
const loadList = (
  { from, name, callers, query, keyOf, read }: ListEdge,
  values: EntityValues,
  { first, after, ...others }: ForwardArguments & EntityValues,
  context: GraphContext,
): Promise<Listed<unknown>> => {
  const caller = callerOf(context)
  checkCaller(callers, caller)
  const input = readInput(query, others)
  const { size = DEFAULT_PAGE_SIZE, ...position } = readPageArguments({ first, after })
  const page = { size, ...position }
  const loaderName = JSON.stringify([from.name, name, input, page])
  return context.loaders.load(loaderName, keyOf(values), (keys) =>
    read({ ...context, caller }, keys, input, page),
  )
}

/** Adds the edges to the types that they start from. */
export const addEdges = (builder: Builder, types: OperationTypes, inputs: InputTypes): void => {
  for (const edge of objectEdges)
    builder.objectField(types.outputShape(edge.from), edge.name, (t) =>
      t.field({
        type: types.outputShape(edge.to),
        description: edge.doc,
        resolve: (values, _args, context) => loadObject(edge, values, context),
      }),
    )
  for (const edge of listEdges)
    builder.objectField(types.outputShape(edge.from), edge.name, (t) =>
      t.field({
        type: types.connectionOf(edge.entry),
        description: edge.doc,
        extensions: { complexity: listCost },
        args: {
          ...inputs.fieldArguments(t.arg, edge.from.name, edge.query),
          ...pageArguments(t.arg, {}),
        },
        resolve: (values, args, context) => loadList(edge, values, args, context),
      }),
    )
}
