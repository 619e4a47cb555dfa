/** Runs the planned root fields of operations, caches the plans, and leaves all other fields to the resolvers. */
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import type { Catalogue } from '../../../definition/catalogue.ts'
import type { GraphContext } from '../builder.ts'
import { countFields } from '../compilation.ts'
import { estimateBytes, MAX_CACHE_BYTES } from '../documents.ts'
import { fragmentsOf } from '../fragments.ts'
import { coerceVariables, directiveVariables, type VariableValues } from '../variables.ts'
import { planOperation, type RootPlan } from './operation.ts'
import { restOf } from './rest.ts'
import { keyText } from './value.ts'

// Planning blocks the event loop for some µs per field.
const MAX_FIELDS = 500
// Measured: the parts and functions of a plan take 0.5 to 1 kB of heap per field.
const BYTES_PER_FIELD = 1024

/** A result whose data is JSON text; Yoga calls `stringify` instead of JSON.stringify. */
export interface TextResult extends ExecutionResult {
  stringify(): string
}

const responseText = (data: string): string => `{"data":${data}}`

const textResult = (data: string): TextResult => ({
  get data() {
    return JSON.parse(data)
  },
  stringify: () => responseText(data),
})

/** A plan for an operation. */
export interface OperationPlan {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  /** In the order of the response. */
  readonly roots: readonly RootPlan[]
  /** The document of the root fields that are not planned; undefined: all are planned. */
  readonly unplanned: DocumentNode | undefined
}

interface CachedPlan {
  /** Undefined: the resolvers run the operation. */
  readonly plan: OperationPlan | undefined
  readonly bytes: number
}

/** The plan of an operation with these coerced variables; undefined if the resolvers run it. */
export type FindPlan = (
  args: Pick<ExecutionArgs, 'schema' | 'document'>,
  operation: OperationDefinitionNode,
  variables: VariableValues,
) => OperationPlan | undefined

/** The plans of operations: one for each combination of values of the variables in @skip and @include. */
export const createPlans = (catalogue: Catalogue): FindPlan => {
  const cache = new LRUCache<string, CachedPlan>({
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
  })
  const operations = new WeakMap<
    OperationDefinitionNode,
    { readonly id: number; readonly names: readonly string[] }
  >()
  let count = 0

  const factsOf = (document: DocumentNode, operation: OperationDefinitionNode) => {
    const known = operations.get(operation)
    if (known) return known
    count += 1
    const facts = { id: count, names: [...directiveVariables(document)] }
    operations.set(operation, facts)
    return facts
  }

  const plan = (
    { schema, document }: Pick<ExecutionArgs, 'schema' | 'document'>,
    operation: OperationDefinitionNode,
    variables: VariableValues,
  ): CachedPlan => {
    const fields = countFields(document, operation)
    const bytes = estimateBytes(document) + fields * BYTES_PER_FIELD
    if (fields > MAX_FIELDS || operation.operation !== 'query') return { plan: undefined, bytes }
    const context = { catalogue, schema, fragments: fragmentsOf(document), variables }
    const roots = planOperation(context, operation)
    const unplanned = roots.filter(({ run }) => run === undefined)
    if (unplanned.length === roots.length) return { plan: undefined, bytes }
    // The same document each time, because compiled operations are cached by document.
    const rest = unplanned.length > 0 ? restOf(document, operation, unplanned) : undefined
    return { plan: { document, operation, roots, unplanned: rest }, bytes }
  }

  return (args, operation, variables) => {
    const { id, names } = factsOf(args.document, operation)
    const key = `${id} ${names.map((name) => JSON.stringify(variables[name])).join()}`
    const cached = cache.get(key) ?? plan(args, operation, variables)
    cache.set(key, cached)
    return cached.plan
  }
}

/** Runs a document with the resolvers. */
type Resolve = (document: DocumentNode) => Promise<ExecutionResult>

/** The JSON text of the value of each root field; undefined where it is not planned, or its plan fails. */
const runRoots = (
  { roots }: OperationPlan,
  context: GraphContext,
  variables: VariableValues,
): Promise<readonly (string | undefined)[]> =>
  // The resolvers report the errors.
  Promise.all(roots.map(({ run }) => run?.(context, variables).catch(() => undefined)))

/** The JSON text of the data; `textOf` returns that of a root field that has no text. */
const dataText = (
  { roots }: OperationPlan,
  texts: readonly (string | undefined)[],
  textOf: (as: string) => string,
): string =>
  `{${roots.map(({ selected: { as } }, index) => keyText(as) + (texts[index] ?? textOf(as))).join(',')}}`

/** Runs a plan of all root fields. @returns the text of the response; undefined: the resolvers must run the operation */
export const runWholePlan = async (
  plan: OperationPlan,
  context: GraphContext,
  variables: VariableValues,
): Promise<string | undefined> => {
  const texts = await runRoots(plan, context, variables)
  if (texts.includes(undefined)) return
  return responseText(dataText(plan, texts, () => 'null'))
}

/** Runs a plan. The resolvers run the root fields that are not planned, and repeat those whose plan fails. */
export const runPlan = async (
  plan: OperationPlan,
  context: GraphContext,
  variables: VariableValues,
  resolve: Resolve,
): Promise<ExecutionResult> => {
  const { document, operation, roots, unplanned } = plan
  const texts = await runRoots(plan, context, variables)
  const rest = roots.filter((_root, index) => texts[index] === undefined)
  if (rest.length === roots.length) return resolve(document)
  const hasFailed = rest.some(({ run }) => run !== undefined)
  const isComplete = rest.length === 0
  const resolved: ExecutionResult = isComplete
    ? {}
    : await resolve((!hasFailed && unplanned) || restOf(document, operation, rest))
  const { data, errors } = resolved
  if (!isComplete && !data) return resolved
  const text = dataText(plan, texts, (as) => JSON.stringify(data?.[as] ?? null))
  return errors ? { data: JSON.parse(text), errors } : textResult(text)
}

/** Runs planned operations. */
export const usePlans = (planOf: FindPlan): Plugin<GraphContext> => ({
  onExecute: ({ args, executeFn, setExecuteFn }) => {
    const { schema, document, operationName, variableValues, contextValue } = args
    const operation = getOperationAST(document, operationName)
    if (operation?.operation !== 'query' || contextValue.hasFailedPlan) return
    const { coerced } = coerceVariables(schema, operation, variableValues)
    const plan = coerced && planOf(args, operation, coerced)
    if (!plan) return
    setExecuteFn((executionArgs: ExecutionArgs) =>
      runPlan(plan, contextValue, coerced, (rest) =>
        executeFn({ ...executionArgs, document: rest }),
      ),
    )
  },
})
