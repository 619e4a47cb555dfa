/** The selection of a subscription: the fields it reads from a change, without the arguments that filter changes. */
import {
  type DocumentNode,
  type ExecutionArgs,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  print,
  visit,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import { estimateBytes } from './documents.ts'

/** The part of an operation that determines its results: not the arguments that filter changes. */
interface Selection {
  readonly text: string
  /** The variables that it uses. */
  readonly variables: readonly string[]
  /** Memory in the cache. */
  readonly bytes: number
}

const readSelection = (document: DocumentNode, operation: OperationDefinitionNode): Selection => {
  const selections = operation.selectionSet.selections.map((selection) =>
    selection.kind === Kind.FIELD ? { ...selection, arguments: [] } : selection,
  )
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)
  const { name: _name, variableDefinitions, ...others } = operation
  const selected = {
    ...others,
    selectionSet: { ...operation.selectionSet, selections },
  }
  const variables = new Set<string>()
  const rest: DocumentNode = { kind: Kind.DOCUMENT, definitions: [selected, ...fragments] }
  visit(rest, { Variable: ({ name }) => void variables.add(name.value) })
  const declared = (variableDefinitions ?? []).filter(({ variable }) =>
    variables.has(variable.name.value),
  )
  const text = [...declared, rest].map(print).join('\n')
  // The operation is the cache key and keeps its document in memory.
  const bytes = estimateBytes(document) + text.length * 2
  return { text, variables: [...variables], bytes }
}

const MAX_CACHE_BYTES = 16 * 1024 * 1024

/**
 * Creates a function that returns the selection key of an operation. Operations with the same key have the same
 * results: the key contains the selection text and the values of its variables.
 */
export const createSelections = () => {
  // useDocuments returns the same object for a repeated document, so its operations are equal too.
  const cache = new LRUCache<OperationDefinitionNode, Selection>({
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
  })
  return ({ document, operationName, variableValues }: ExecutionArgs): string => {
    const operation = getOperationAST(document, operationName)
    if (!operation)
      throw new Error(
        'The document has no operation with this name; useAdmission should have rejected it.',
      )
    const selection = cache.get(operation) ?? readSelection(document, operation)
    cache.set(operation, selection)
    const { text, variables } = selection
    if (variables.length === 0) return text
    // An absent variable has its default value, a null variable does not.
    const values = variables.map((variable) =>
      variableValues && Object.hasOwn(variableValues, variable) ? [variableValues[variable]] : [],
    )
    return JSON.stringify([text, ...values])
  }
}
