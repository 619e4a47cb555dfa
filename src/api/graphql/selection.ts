/** What a subscription asks of a change, apart from which changes it wants. */
import { type DocumentNode, type ExecutionArgs, getOperationAST, Kind, print, visit } from 'graphql'

/** What of a document makes its answers differ: not the arguments that say which changes are wanted. */
interface Selection {
  readonly text: string
  /** The variables in it. */
  readonly variables: readonly string[]
}

const readSelection = (document: DocumentNode, operationName: string): Selection => {
  const operation = getOperationAST(document, operationName || null)
  if (!operation) throw new Error('A subscription that was not admitted.')
  const selections = operation.selectionSet.selections.map((selection) =>
    selection.kind === Kind.FIELD ? { ...selection, arguments: [] } : selection,
  )
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)
  const { name: _name, variableDefinitions, ...others } = operation
  const shown = {
    ...others,
    selectionSet: { ...operation.selectionSet, selections },
  }
  const variables = new Set<string>()
  const rest: DocumentNode = { kind: Kind.DOCUMENT, definitions: [shown, ...fragments] }
  visit(rest, { Variable: ({ name }) => void variables.add(name.value) })
  const declared = (variableDefinitions ?? []).filter(({ variable }) =>
    variables.has(variable.name.value),
  )
  return { text: [...declared, rest].map(print).join('\n'), variables: [...variables] }
}

/**
 * Names what an operation wants to know of a change. Those with one name are answered alike: the name has
 * all of the text that an answer depends on, and the values of the variables in it.
 */
export const createSelections = () => {
  // Documents are remembered by their text: the same question is the same document.
  const known = new WeakMap<DocumentNode, Map<string, Selection>>()
  return ({ document, operationName, variableValues }: ExecutionArgs): string => {
    const name = operationName ?? ''
    const ofDocument = known.get(document) ?? new Map<string, Selection>()
    known.set(document, ofDocument)
    const selection = ofDocument.get(name) ?? readSelection(document, name)
    ofDocument.set(name, selection)
    const { text, variables } = selection
    if (variables.length === 0) return text
    // One that is not given has its default; null has not.
    const given = variables.map((variable) =>
      variableValues && Object.hasOwn(variableValues, variable) ? [variableValues[variable]] : [],
    )
    return JSON.stringify([text, ...given])
  }
}
