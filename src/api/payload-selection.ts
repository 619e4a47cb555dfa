/** The part of a record that a webhook subscriber wants: a GraphQL selection, checked when it is saved. */
import { GraphQLError, Kind, parse, type SelectionSetNode } from 'graphql'
import { type Catalogue, linkName, nearest } from '../definition/catalogue.ts'
import { type Field, type Fields, text } from '../definition/field.ts'
import { ApiError, invalidParameter } from '../errors.ts'
import type { SelectedField, Selection } from '../query/selection.ts'

const MAX_LENGTH = 4096
const MAX_TOKENS = 1000

/** What is selected of the records of each topic. */
export type PayloadSelections = Readonly<Record<string, Selection>>

const refused = (message: string, expected: string): ApiError =>
  new ApiError('INVALID_PARAMETER', `payload: ${message}.`, [{ field: 'payload', expected }])

/** The text as one selection of fields. @throws INVALID_PARAMETER */
const parsePayload = (payload: string): SelectionSetNode => {
  const expected = 'a GraphQL selection of fields, such as { id remoteId }'
  if (payload.length > MAX_LENGTH)
    throw invalidParameter('payload', `at most ${MAX_LENGTH} characters`)
  try {
    const { definitions } = parse(payload, { noLocation: true, maxTokens: MAX_TOKENS })
    const [operation, ...others] = definitions
    const isSelection =
      operation?.kind === Kind.OPERATION_DEFINITION &&
      operation.operation === 'query' &&
      others.length === 0 &&
      operation.name === undefined &&
      !operation.variableDefinitions?.length &&
      !operation.directives?.length
    if (isSelection) return operation.selectionSet
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
  }
  throw invalidParameter('payload', expected)
}

/** The fields below a field; undefined: it is a single value. */
const fieldsBelow = (field: Field): Fields | undefined => {
  if (field.kind === 'list' || field.kind === 'object') return field.shape.fields
  if (field.kind !== 'reference' || field.embeds === undefined) return
  const names = ['id', 'remoteId', ...field.embeds]
  return Object.fromEntries(names.map((name) => [name, text(name)]))
}

interface Owner {
  readonly name: string
  readonly fields: Fields
  /** The types whose fields may be chosen by `... on`; undefined below a record. */
  readonly types?: ReadonlySet<string>
}

const unknownField = ({ name: owner, fields }: Owner, name: string): ApiError => {
  const isLink = Object.entries(fields).some(
    ([own, field]) => 'target' in field && own !== 'id' && linkName(own, field) === name,
  )
  const shown = name.slice(0, 64)
  return isLink
    ? refused(`${shown} is another record; a payload holds the fields of its own`, 'its id instead')
    : refused(
        `${owner} has no field ${shown}`,
        `a field of ${owner}, such as ${nearest(shown, Object.keys(fields))}`,
      )
}

/** @throws INVALID_PARAMETER naming what is not a field of its own */
const readSelection = (set: SelectionSetNode, owner: Owner): Selection => {
  const selected = new Map<string, SelectedField>()
  const read = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.directives?.length) throw refused('it has a directive', 'fields alone')
      if (node.kind === Kind.FRAGMENT_SPREAD) throw refused('it has a fragment', 'fields alone')
      if (node.kind === Kind.INLINE_FRAGMENT) {
        const type = node.typeCondition?.name.value ?? owner.name
        if (type !== owner.name && !owner.types?.has(type))
          throw refused(
            `${type.slice(0, 64)} is no type of the topics`,
            [...(owner.types ?? [owner.name])].join(', '),
          )
        if (type === owner.name) read(node.selectionSet)
        continue
      }
      const name = node.name.value
      const as = node.alias?.value ?? name
      if (node.arguments?.length) throw refused(`${name} has arguments`, 'none')
      const field = Object.hasOwn(owner.fields, name) ? owner.fields[name] : undefined
      if (field === undefined) throw unknownField(owner, name)
      if (selected.has(as)) throw refused(`${as} is selected twice`, 'each field once')
      const below = fieldsBelow(field)
      if (below === undefined && node.selectionSet)
        throw refused(`${name} has no fields of its own`, `${name} alone`)
      if (below !== undefined && !node.selectionSet)
        throw refused(`${name} has fields, and none is selected`, `${name} { … }`)
      const of =
        below && node.selectionSet
          ? readSelection(node.selectionSet, { name: `${owner.name}.${name}`, fields: below })
          : undefined
      selected.set(as, { name, as, ...(of && { of }) })
    }
  }
  read(set)
  return [...selected.values()]
}

/**
 * Reads a payload for the records of these topics. What stands in `... on AccountingVendor { }` is for
 * that type alone, the rest for each.
 * @throws INVALID_PARAMETER
 */
export const readPayload = (
  catalogue: Catalogue,
  topics: readonly string[],
  payload: string,
): PayloadSelections => {
  const set = parsePayload(payload)
  const resources = topics.flatMap((topic) => catalogue.find(topic) ?? [])
  if (resources.length === 0) throw invalidParameter('payload', 'none: no topic has records')
  const types = new Set(resources.map(({ typeName }) => typeName))
  const id = text('The id.')
  return Object.fromEntries(
    resources.map(({ topic, typeName, allFields }) => [
      topic,
      readSelection(set, { name: typeName, fields: { id, ...allFields }, types }),
    ]),
  )
}
