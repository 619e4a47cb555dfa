/** The payload of a webhook: a GraphQL selection of record fields, validated when it is saved. */
import { GraphQLError, Kind, parse, type SelectionSetNode } from 'graphql'
import { type Catalogue, linkName } from '../definition/catalogue.ts'
import { ALL_TOPICS } from '../definition/change.ts'
import { text } from '../definition/field.ts'
import type { Fields } from '../definition/kinds/kind.ts'
import { nearest } from '../definition/nearest.ts'
import { customFields } from '../definition/resource.ts'
import { ApiError, invalidParameter } from '../errors.ts'
import type { SelectedField, Selection } from '../query/selection.ts'

const MAX_LENGTH = 4096
const MAX_TOKENS = 1000

/** The selected fields by topic. */
export type PayloadSelections = Readonly<Record<string, Selection>>

const rejection = (message: string, expected: string): ApiError =>
  new ApiError('INVALID_PARAMETER', `payload: ${message}.`, [{ field: 'payload', expected }])

/** Parses the payload into one selection set. @throws INVALID_PARAMETER */
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

interface Owner {
  readonly name: string
  readonly fields: Fields
  /** The types that `... on` may name; undefined inside a nested object. */
  readonly types?: ReadonlySet<string>
}

const unknownField = ({ name: owner, fields }: Owner, name: string): ApiError => {
  const isLink = Object.entries(fields).some(
    ([fieldName, { kind }]) =>
      kind.reference && fieldName !== 'id' && linkName(fieldName, kind) === name,
  )
  const shortName = name.slice(0, 64)
  return isLink
    ? rejection(
        `${shortName} is another record; a payload contains only fields of its own record`,
        'the id field',
      )
    : rejection(
        `${owner} has no field ${shortName}`,
        `a field of ${owner}, such as ${nearest(shortName, Object.keys(fields))}`,
      )
}

/** @throws INVALID_PARAMETER naming the field that is unknown or of another record */
const readSelection = (set: SelectionSetNode, owner: Owner): Selection => {
  const selected = new Map<string, SelectedField>()
  const read = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.directives?.length) throw rejection('directives are not supported', 'only fields')
      if (node.kind === Kind.FRAGMENT_SPREAD)
        throw rejection('named fragments are not supported', 'only fields and inline fragments')
      if (node.kind === Kind.INLINE_FRAGMENT) {
        const type = node.typeCondition?.name.value ?? owner.name
        if (type !== owner.name && !owner.types?.has(type))
          throw rejection(
            `${type.slice(0, 64)} is not a type of the subscribed topics`,
            [...(owner.types ?? [owner.name])].join(', '),
          )
        if (type === owner.name) read(node.selectionSet)
        continue
      }
      const name = node.name.value
      const as = node.alias?.value ?? name
      if (node.arguments?.length) throw rejection(`${name} takes no arguments`, 'no arguments')
      const field = Object.hasOwn(owner.fields, name) ? owner.fields[name] : undefined
      if (field === undefined) throw unknownField(owner, name)
      if (selected.has(as)) throw rejection(`${as} is selected twice`, 'each field once')
      const subfields = field.kind.fields
      if (subfields === undefined && node.selectionSet)
        throw rejection(`${name} has no subfields`, `${name} without a selection`)
      if (subfields !== undefined && !node.selectionSet)
        throw rejection(`${name} is an object and needs a selection`, `${name} { … }`)
      const of =
        subfields && node.selectionSet
          ? readSelection(node.selectionSet, { name: `${owner.name}.${name}`, fields: subfields })
          : undefined
      selected.set(as, { name, as, ...(of && { of }) })
    }
  }
  read(set)
  return [...selected.values()]
}

/**
 * Reads the selection for each of these topics. Fields inside `... on AccountingVendor { }` apply only to
 * that type, all others to every type.
 * @throws INVALID_PARAMETER
 */
export const readPayload = (
  catalogue: Catalogue,
  topics: readonly string[],
  payload: string,
): PayloadSelections => {
  const set = parsePayload(payload)
  const resources = topics.includes(ALL_TOPICS)
    ? catalogue.resources
    : topics.flatMap((topic) => catalogue.find(topic) ?? [])
  if (resources.length === 0)
    throw invalidParameter('payload', 'no payload, because no topic has records')
  const types = new Set(resources.map(({ typeName }) => typeName))
  const id = text('The id.')
  return Object.fromEntries(
    resources.map(({ topic, typeName, allFields }) => [
      topic,
      readSelection(set, { name: typeName, fields: { id, ...allFields, customFields }, types }),
    ]),
  )
}
