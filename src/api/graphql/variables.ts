/** The variables of an operation. */
import {
  type ASTNode,
  type ExecutionArgs,
  type GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
  visit,
} from 'graphql'

/** Variable values after GraphQL has checked and coerced them. */
export type VariableValues = Readonly<Record<string, unknown>>

type Coerced =
  | { readonly errors: readonly GraphQLError[]; readonly coerced?: never }
  | { readonly coerced: VariableValues; readonly errors?: never }

// Without this limit, a list of 200,000 invalid values becomes as many errors, which takes seconds.
const MAX_ERRORS = 1

interface Entry {
  readonly operation: OperationDefinitionNode
  readonly result: Coerced
}

/** Several plugins need the values of one request; the object of its variables lives as long as the request. */
const results = new WeakMap<object, Entry>()

/** Checks and coerces the variables of an operation; at most one error. */
export const coerceVariables = (
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  values: ExecutionArgs['variableValues'],
): Coerced => {
  const inputs = values ?? {}
  const known = results.get(inputs)
  if (known?.operation === operation) return known.result
  const result = getVariableValues(schema, operation.variableDefinitions ?? [], inputs, {
    maxErrors: MAX_ERRORS,
  })
  results.set(inputs, { operation, result })
  return result
}

/** The names of the variables inside a node. */
export const variablesIn = (node: ASTNode): ReadonlySet<string> => {
  const names = new Set<string>()
  visit(node, { Variable: ({ name }) => void names.add(name.value) })
  return names
}

/** The names of the variables in @skip and @include, which decide what an operation selects. */
export const directiveVariables = (document: ASTNode): ReadonlySet<string> => {
  const names = new Set<string>()
  visit(document, {
    Directive: (directive) => {
      for (const name of variablesIn(directive)) names.add(name)
    },
  })
  return names
}
