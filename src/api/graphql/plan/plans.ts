/** Runs planned operations, caches their plans, and leaves all other operations to the resolvers. */
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
import { coerceVariables, directiveVariables, type Variables } from '../variables.ts'
import { NotPlannedError } from './not-planned.ts'
import { planOperation, type RunPlan } from './operation.ts'

// Planning blocks the event loop for some µs per field.
const MAX_FIELDS = 500
// Measured: the parts and functions of a plan take 0.5 to 1 kB of heap per field.
const BYTES_PER_FIELD = 1024

/** A result whose data is JSON text; Yoga calls `stringify` instead of JSON.stringify. */
export interface TextResult extends ExecutionResult {
  stringify(): string
}

const textResult = (data: string): TextResult => ({
  get data() {
    return JSON.parse(data)
  },
  stringify: () => `{"data":${data}}`,
})

interface CachedPlan {
  /** Undefined: the resolvers answer. */
  readonly run: RunPlan | undefined
  readonly bytes: number
}

/** The plans of operations: one for each combination of values of the variables in @skip and @include. */
export const createPlans = (catalogue: Catalogue) => {
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
    variables: Variables,
  ): CachedPlan => {
    const fields = countFields(document, operation)
    const bytes = estimateBytes(document) + fields * BYTES_PER_FIELD
    if (fields > MAX_FIELDS) return { run: undefined, bytes }
    try {
      const context = { catalogue, schema, fragments: fragmentsOf(document), variables }
      return { run: planOperation(context, operation), bytes }
    } catch (error) {
      if (error instanceof NotPlannedError) return { run: undefined, bytes }
      throw error
    }
  }

  /** The plan of an operation with these coerced variables; undefined if the resolvers answer. */
  return (
    args: Pick<ExecutionArgs, 'schema' | 'document'>,
    operation: OperationDefinitionNode,
    variables: Variables,
  ): RunPlan | undefined => {
    const { id, names } = factsOf(args.document, operation)
    const key = `${id} ${names.map((name) => JSON.stringify(variables[name])).join()}`
    const cached = cache.get(key) ?? plan(args, operation, variables)
    cache.set(key, cached)
    return cached.run
  }
}

/** Runs planned operations. If a plan fails, the resolvers repeat the operation and report the errors. */
export const usePlans = (catalogue: Catalogue): Plugin<GraphContext> => {
  const planOf = createPlans(catalogue)
  return {
    onExecute: ({ args, executeFn, setExecuteFn }) => {
      const { schema, document, operationName, variableValues } = args
      const operation = getOperationAST(document, operationName)
      if (operation?.operation !== 'query') return
      const { coerced } = coerceVariables(schema, operation, variableValues)
      const run = coerced && planOf(args, operation, coerced)
      if (!run) return
      setExecuteFn(async (executionArgs: ExecutionArgs) => {
        try {
          return textResult(await run(args.contextValue, coerced))
        } catch {
          return executeFn(executionArgs)
        }
      })
    },
  }
}
