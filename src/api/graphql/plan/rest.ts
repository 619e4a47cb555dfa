/** The part of an operation that the resolvers run, next to its planned root fields. */
import { type DocumentNode, Kind, type OperationDefinitionNode } from 'graphql'
import type { RootPlan } from './operation.ts'

/** The document with only these root fields of the operation. Their directives have been evaluated. */
export const restOf = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  roots: readonly RootPlan[],
): DocumentNode => {
  const selections = roots.map(({ selected: { node, selectionSets } }) => ({
    ...node,
    directives: [],
    ...(node.selectionSet && {
      selectionSet: {
        kind: Kind.SELECTION_SET as const,
        selections: selectionSets.flatMap((set) => set.selections),
      },
    }),
  }))
  const rest = { ...operation, selectionSet: { kind: Kind.SELECTION_SET as const, selections } }
  return {
    ...document,
    definitions: document.definitions.map((definition) =>
      definition === operation ? rest : definition,
    ),
  }
}
