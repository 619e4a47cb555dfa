/** The fragments of a document. */
import { type DocumentNode, Kind, type SelectionSetNode } from 'graphql'

/** The selections of each fragment of a document, by its name. */
export const fragmentsOf = ({
  definitions,
}: DocumentNode): ReadonlyMap<string, SelectionSetNode> => {
  const fragments = new Map<string, SelectionSetNode>()
  for (const definition of definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION)
      fragments.set(definition.name.value, definition.selectionSet)
  return fragments
}
