/** Compiles operations to functions with graphql-jit and caches them up to a memory limit. */
import {
  type DocumentNode,
  type ExecutionArgs,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import type { CompiledQuery } from 'graphql-jit'
import type { Plugin } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import { estimateBytes, MAX_CACHE_BYTES } from './documents.ts'
import { fragmentsOf } from './fragments.ts'

// Compilation blocks the event loop for about 0.1 ms per field.
const MAX_FIELDS = 500
// Measured: the generated code takes 0.6 to 1.5 kB of heap per field.
const BYTES_PER_FIELD = 2048

interface Compiled {
  readonly run: CompiledQuery['query']
  readonly bytes: number
}

/** The number of fields of an operation; a fragment counts wherever it is spread. */
export const countFields = (document: DocumentNode, operation: OperationDefinitionNode): number => {
  const fragments = fragmentsOf(document)
  const ofFragment = new Map<string, number>()
  const count = (set: SelectionSetNode | undefined): number => {
    let fields = 0
    for (const selection of set?.selections ?? [])
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const name = selection.name.value
        const counted = ofFragment.get(name) ?? count(fragments.get(name)?.selectionSet)
        ofFragment.set(name, counted)
        fields += counted
      } else fields += Number(selection.kind === Kind.FIELD) + count(selection.selectionSet)
    return fields
  }
  return count(operation.selectionSet)
}

/**
 * Compiles an operation on its second run, because compiling costs more than one run saves. Subscriptions and
 * operations of more than 500 fields are not compiled.
 */
export const useCompilation = (): Plugin => {
  // Keyed by operation, because each operation of a document has its own function.
  const cache = new LRUCache<OperationDefinitionNode, Compiled>({
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
  })
  const isCompilable = new WeakMap<OperationDefinitionNode, boolean>()

  const compile = async (
    { schema, document }: ExecutionArgs,
    operation: OperationDefinitionNode,
  ): Promise<Compiled | undefined> => {
    // Loaded only here, so that a process starts sooner.
    const { compileQuery, isCompiledQuery } = await import('graphql-jit')
    const query = compileQuery(schema, document, operation.name?.value)
    if (!isCompiledQuery(query)) {
      isCompilable.set(operation, false)
      return undefined
    }
    const bytes = estimateBytes(document) + countFields(document, operation) * BYTES_PER_FIELD
    const compiled = { run: query.query, bytes }
    cache.set(operation, compiled)
    return compiled
  }

  /** Whether to compile the operation now: not on its first run. */
  const mustCompile = (document: DocumentNode, operation: OperationDefinitionNode): boolean => {
    const known = isCompilable.get(operation)
    if (known === undefined)
      isCompilable.set(operation, countFields(document, operation) <= MAX_FIELDS)
    return known === true
  }

  return {
    onExecute: ({ args: { document, operationName }, executeFn, setExecuteFn }) => {
      const operation = getOperationAST(document, operationName)
      if (!operation) return
      const run = (args: ExecutionArgs, compiled: Compiled | undefined) =>
        compiled
          ? compiled.run(args.rootValue, args.contextValue, args.variableValues)
          : executeFn(args)
      // Not before it runs: a planned operation may never need its resolvers.
      setExecuteFn((args: ExecutionArgs) => {
        const compiled = cache.get(operation)
        return compiled || !mustCompile(document, operation)
          ? run(args, compiled)
          : compile(args, operation).then((made) => run(args, made))
      })
    },
  }
}
