/** Introspection limits: one root selection per document, and a count of the returned fields. */
import {
  type ASTVisitor,
  type DocumentNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql'
import { tooComplex } from './error-form.ts'
import { fragmentsOf } from './fragments.ts'

const ROOTS = ['__schema', '__type']

/** Whether a field is an introspection root: `__schema` or `__type`. */
export const isIntrospectionRoot = (fieldName: string): boolean => ROOTS.includes(fieldName)

/** Validation rule: a document selects `__schema` or `__type` once, because each alias would repeat the work. */
export const limitIntrospection = (context: ValidationContext): ASTVisitor => {
  let roots = 0
  return {
    Field: (node) => {
      if (!isIntrospectionRoot(node.name.value)) return
      roots += 1
      // Report only the second: further errors would repeat it.
      if (roots !== 2) return
      context.reportError(
        tooComplex(
          `The document selects ${ROOTS.join(' or ')} more than once. Select it only once.`,
        ),
      )
    },
  }
}

/** An introspection selection to count. */
interface Introspection {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  /** The root: `__Schema` with the schema, or `__Type` with a type. */
  readonly type: GraphQLObjectType
  readonly value: unknown
  readonly selectionSet: SelectionSetNode
}

/**
 * Counts the fields that an introspection returns by following its selections through the schema, and stops
 * above `limit`. An estimate would not be safe: the same selection returns two fields for one type and eighty
 * for another.
 */
export const countIntrospection = (
  { schema, document, type, value, selectionSet }: Introspection,
  limit: number,
): number => {
  const fragments = fragmentsOf(document)
  // The introspection resolvers of graphql-js read only `schema` from the info object.
  const info = { schema } as GraphQLResolveInfo
  let fields = 0
  const count = (
    parent: GraphQLObjectType,
    source: unknown,
    set: SelectionSetNode | undefined,
  ): void => {
    for (const node of set?.selections ?? []) {
      fields += 1
      if (fields > limit) return
      if (node.kind === Kind.FRAGMENT_SPREAD)
        count(parent, source, fragments.get(node.name.value)?.selectionSet)
      else if (node.kind === Kind.INLINE_FRAGMENT) count(parent, source, node.selectionSet)
      else if (node.selectionSet) {
        const field = parent.getFields()[node.name.value]
        const child = field && getNamedType(field.type)
        if (!field?.resolve || !isObjectType(child)) continue
        const resolved: unknown = field.resolve(
          source,
          { includeDeprecated: true },
          undefined,
          info,
        )
        for (const item of Array.isArray(resolved) ? resolved : [resolved])
          if (item != null) count(child, item, node.selectionSet)
      }
    }
  }
  count(type, value, selectionSet)
  return fields
}
