/** The selected fields of an operation, with its fragments merged and its directives evaluated. */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  type InlineFragmentNode,
  isAbstractType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql'
import type { VariableValues } from '../variables.ts'

/** What a selection depends on: the fragments of its document, and the variables of its directives. */
export interface SelectionContext {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: VariableValues
}

/** The fields that share a response name: their arguments are equal, and their selections are merged. */
export interface MergedField {
  /** The name in the response. */
  readonly as: string
  /** The name in the schema. */
  readonly name: string
  /** The first of the merged fields; all have the same arguments. */
  readonly node: FieldNode
  readonly selectionSets: readonly SelectionSetNode[]
}

const isIncluded = ({ variables }: SelectionContext, node: SelectionNode): boolean =>
  getDirectiveValues(GraphQLSkipDirective, node, variables)?.if !== true &&
  getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false

const applies = (
  { schema }: SelectionContext,
  type: GraphQLObjectType,
  { typeCondition }: FragmentDefinitionNode | InlineFragmentNode,
): boolean => {
  if (typeCondition === undefined) return true
  const condition = typeFromAST(schema, typeCondition)
  return condition === type || (isAbstractType(condition) && schema.isSubType(condition, type))
}

/** The fields that a selection requests of a type, in the order of the response. */
export const selectedFields = (
  context: SelectionContext,
  type: GraphQLObjectType,
  selectionSets: readonly SelectionSetNode[],
): readonly MergedField[] => {
  const fields = new Map<string, MergedField & { readonly selectionSets: SelectionSetNode[] }>()
  const spread = new Set<string>()
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (!isIncluded(context, node)) continue
      if (node.kind === Kind.FIELD) {
        const as = node.alias?.value ?? node.name.value
        const field = fields.get(as) ?? { as, name: node.name.value, node, selectionSets: [] }
        fields.set(as, field)
        if (node.selectionSet) field.selectionSets.push(node.selectionSet)
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        if (applies(context, type, node)) collect(node.selectionSet)
      } else if (!spread.has(node.name.value)) {
        spread.add(node.name.value)
        const fragment = context.fragments.get(node.name.value)
        if (fragment && applies(context, type, fragment)) collect(fragment.selectionSet)
      }
    }
  }
  selectionSets.forEach(collect)
  return [...fields.values()]
}
