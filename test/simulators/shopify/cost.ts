/** The cost of a query in points: before it is executed from its arguments, and afterwards from its result. */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLFieldMap,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql'
import { isJsonObject } from '../engine/json.ts'
import { schema } from './schema.ts'

export interface CostedOperation {
  readonly operation: OperationDefinitionNode
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: Readonly<Record<string, unknown>>
}

const MUTATION_COST = 10
const CONNECTION_COST = 2
/** Fields of a connection that cost nothing themselves. */
const FREE = ['edges', 'nodes', 'node', 'pageInfo']

/** Creates the function that adds up a selection. `result` is undefined before the execution. */
const createCosts = ({ fragments, variables }: Omit<CostedOperation, 'operation'>) => {
  const sizeOf = (field: FieldNode): number => {
    const sizes = (field.arguments ?? [])
      .filter(({ name }) => name.value === 'first' || name.value === 'last')
      .map(({ value }) => Number(valueFromASTUntyped(value, variables) ?? 0))
    return Math.max(0, ...sizes)
  }

  const isSkipped = ({ directives = [] }: FieldNode): boolean =>
    directives.some(({ name, arguments: args }) => {
      const value = args?.[0] && valueFromASTUntyped(args[0].value, variables)
      return (
        (name.value === 'skip' && value === true) || (name.value === 'include' && value === false)
      )
    })

  const costOfField = (field: FieldNode, parent: GraphQLCompositeType, result: unknown): number => {
    if (!isObjectType(parent) && !('getFields' in parent)) return 0
    const fields: GraphQLFieldMap<unknown, unknown> = parent.getFields()
    const declared = fields[field.name.value]
    const { selectionSet } = field
    if (declared === undefined || selectionSet === undefined || isSkipped(field)) return 0
    const type = getNamedType(declared.type)
    if (!isCompositeType(type)) return 0
    const key = field.alias?.value ?? field.name.value
    const value = isJsonObject(result) ? result[key] : undefined
    if (result !== undefined && (value === null || value === undefined)) return 0
    const values = Array.isArray(value) ? value : [value]
    const inner = values.map((part) => costOf(selectionSet, type, part))
    const sum = inner.reduce((total, cost) => total + cost, 0)
    if (FREE.includes(field.name.value) && /(Connection|Edge)$/.test(parent.name))
      return sum + (['nodes', 'node'].includes(field.name.value) ? values.length : 0)
    if (!type.name.endsWith('Connection')) return sum + values.length
    return CONNECTION_COST + (result === undefined ? sizeOf(field) * sum : sum)
  }

  function costOf(
    { selections }: SelectionSetNode,
    type: GraphQLCompositeType,
    result: unknown,
  ): number {
    let common = 0
    const alternatives: number[] = []
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        common += costOfField(selection, type, result)
        continue
      }
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
      const condition = fragment?.typeCondition && schema.getType(fragment.typeCondition.name.value)
      const inner = isCompositeType(condition) ? condition : type
      if (fragment === undefined) continue
      const cost = costOf(fragment.selectionSet, inner, result)
      if (isAbstractType(type)) alternatives.push(cost)
      else common += cost
    }
    return common + Math.max(0, ...alternatives)
  }
  return costOf
}

/** The maximum cost of an operation; if its result is passed, its actual cost. */
export const costOfOperation = (
  { operation, ...parts }: CostedOperation,
  data?: Readonly<Record<string, unknown>> | null,
): number => {
  if (operation.operation === 'mutation')
    return operation.selectionSet.selections.length * MUTATION_COST
  const root = schema.getQueryType()
  if (!root || data === null) return 0
  return createCosts(parts)(operation.selectionSet, root, data)
}
