/** Compiles operations to functions with graphql-jit and caches them up to a memory limit. */
import {
  type DocumentNode,
  type ExecutionArgs,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type TypeNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql'
import type { CompiledQuery } from 'graphql-jit'
import type { Plugin } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import { estimateBytes, MAX_CACHE_BYTES } from './documents.ts'
import { fragmentsOf } from './fragments.ts'
import { coerceVariables, variablesIn } from './variables.ts'

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

/** Whether an argument is an object or a list with a variable in it. */
const hasNestedVariables = (document: DocumentNode): boolean => {
  let found = false
  visit(document, {
    Argument: ({ value }) => {
      if (value.kind !== Kind.VARIABLE && variablesIn(value).size > 0) found = true
    },
  })
  return found
}

const ANY_VALUE: TypeNode = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: 'JSON' } }

const isBoolean = (type: TypeNode): boolean =>
  type.kind === Kind.NON_NULL_TYPE
    ? isBoolean(type.type)
    : type.kind === Kind.NAMED_TYPE && type.name.value === 'Boolean'

/**
 * The document with the type JSON for its variables, which have been coerced already. graphql-jit expands each input
 * type with the types of its fields, and does not end for filters, because they contain filters. Booleans keep their
 * type: graphql-jit checks it in directives.
 */
const acceptCoerced = (document: DocumentNode): DocumentNode =>
  visit(document, {
    VariableDefinition: ({ defaultValue: _, ...definition }): VariableDefinitionNode | undefined =>
      isBoolean(definition.type) ? undefined : { ...definition, type: ANY_VALUE },
  })

/**
 * Compiles an operation on its second run, because compiling costs more than one run saves. It does not compile
 * subscriptions, operations of more than 500 fields, and those with a variable inside an object or a list: if the
 * variable is absent, graphql-jit would set null, which is another value.
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
    const query = compileQuery(schema, acceptCoerced(document), operation.name?.value)
    if (!isCompiledQuery(query)) {
      isCompilable.set(operation, false)
      return undefined
    }
    const bytes = estimateBytes(document) + countFields(document, operation) * BYTES_PER_FIELD
    const compiled = { run: query.query, bytes }
    cache.set(operation, compiled)
    return compiled
  }

  /** Whether to compile the operation now: not on its first run, which is noted here. */
  const mustCompile = (document: DocumentNode, operation: OperationDefinitionNode): boolean => {
    const known = isCompilable.get(operation)
    if (known === undefined)
      isCompilable.set(
        operation,
        countFields(document, operation) <= MAX_FIELDS && !hasNestedVariables(document),
      )
    return known === true
  }

  return {
    onExecute: ({ executeFn, setExecuteFn }) => {
      const run = (
        args: ExecutionArgs,
        operation: OperationDefinitionNode,
        compiled: Compiled | undefined,
      ) => {
        if (!compiled) return executeFn(args)
        const { coerced } = coerceVariables(args.schema, operation, args.variableValues)
        return coerced ? compiled.run(args.rootValue, args.contextValue, coerced) : executeFn(args)
      }
      // The operation that runs, not the one that was sent: the resolvers of a planned operation may run for some of
      // its root fields, or for none.
      setExecuteFn((args: ExecutionArgs) => {
        const { document, operationName } = args
        const operation = getOperationAST(document, operationName)
        if (!operation) return executeFn(args)
        const compiled = cache.get(operation)
        return compiled || !mustCompile(document, operation)
          ? run(args, operation, compiled)
          : compile(args, operation).then((made) => run(args, operation, made))
      })
    },
  }
}
