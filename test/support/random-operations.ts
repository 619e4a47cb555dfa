/** Random valid GraphQL queries for records: aliases, fragments, directives, variables, links and wrong arguments. */
import {
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
} from 'graphql'
import { recordId } from '../../src/definition/identity.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { snakeCase } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { encodeCursor, type Order, orderFields } from '../../src/query/cursor.ts'
import { listQuantifiers } from '../../src/query/filter-input.ts'
import { filterLinks } from '../../src/query/filter-links.ts'
import { orderOf } from '../../src/query/list-request.ts'

/** A generator of numbers from 0 to 1 with a 32-bit state (mulberry32). */
const createRandom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The depth of the objects in a root field. */
const MAX_DEPTH = 7
/** The number of links to other records in an operation. */
const MAX_LINKS = 6

export interface RandomOperation {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

interface Options {
  readonly schema: GraphQLSchema
  readonly credentialIds: readonly string[]
  /** Each credential has the records 1 to this number of each resource. */
  readonly recordsOfEach: number
}

/** The operation of a seed. */
export const randomOperation = (
  seed: number,
  { schema, credentialIds, recordsOfEach }: Options,
): RandomOperation => {
  const random = createRandom(seed)
  const happens = (probability: number): boolean => random() < probability
  const randomBelow = (limit: number): number => Math.floor(random() * limit)
  const oneOf = <Value>(values: readonly Value[]): Value =>
    values[randomBelow(values.length)] as Value

  const definitions: string[] = []
  const variables: Record<string, unknown> = {}
  const fragments: string[] = []
  /** The value as a literal or as a variable. */
  const argument = (type: string, value: unknown, literal = JSON.stringify(value)): string => {
    if (happens(0.5)) return literal
    const name = `v${definitions.length}`
    definitions.push(`$${name}: ${type}`)
    variables[name] = value
    return `$${name}`
  }
  const directive = (): string => {
    if (!happens(0.15)) return ''
    return ` @${oneOf(['skip', 'include'])}(if: ${argument('Boolean!', happens(0.5))})`
  }
  /** A field: an alias always names the same field, so that all selections can be merged. */
  const field = (name: string, rest = ''): string =>
    `${happens(0.15) ? `${name.replace('__', '')}Alias: ` : ''}${name}${rest}`

  let links = 0
  /** A selection of an object: some of the fields, in any order, some of them in fragments. */
  const selection = (type: GraphQLObjectType, depth: number): string => {
    const selectable = Object.values(type.getFields()).filter(
      (candidate) => isLeafType(getNamedType(candidate.type)) || depth < MAX_DEPTH,
    )
    const fieldText = (): string => {
      if (happens(0.1)) return field('__typename', directive())
      const { name, type: fieldType, args } = oneOf(selectable)
      const named = getNamedType(fieldType)
      if (!isObjectType(named)) return field(name, directive())
      // Root fields with credentials are not planned.
      if (named.name === 'Credential')
        return happens(0.1) ? field(name, ' { id credentialId app }') : field('__typename')
      const isLink = args.length > 0 || (isRecord(named) && !type.name.endsWith('Edge'))
      if (isLink && depth > 0) {
        if (links >= MAX_LINKS) return field('__typename')
        links += 1
      }
      if (args.length > 0) {
        const list = linkedList(type, name, named)
        return `${list} ${happens(0.3) ? plainPage(named) : selection(named, depth + 1)}`
      }
      return `${field(name, directive())} ${selection(named, depth + 1)}`
    }
    const selectionText = (): string =>
      Array.from({ length: 1 + randomBelow(depth < 3 ? 4 : 2) }, fieldText).join(' ')
    const selectionPart = (): string => {
      if (happens(0.75)) return selectionText()
      if (happens(0.4)) return `...${directive()} { ${selectionText()} }`
      if (happens(0.5)) return `... on ${type.name}${directive()} { ${selectionText()} }`
      if (isRecord(type) && happens(0.3)) return '... on Node { id __typename }'
      const fragment = selectionText()
      const name = `F${fragments.length}`
      fragments.push(`fragment ${name} on ${type.name} { ${fragment} }`)
      return `...${name}${directive()}`
    }
    const parts = Array.from({ length: 1 + randomBelow(depth < 3 ? 3 : 2) }, selectionPart)
    return `{ ${parts.join(' ')} }`
  }
  /** A selection of a page whose records start with their id, as the stored text does. */
  const plainPage = (page: GraphQLObjectType): string => {
    const record = getNamedType(page.getFields().nodes?.type)
    if (!isObjectType(record)) throw new TypeError(`${page.name} has no nodes.`)
    const leaves = Object.values(record.getFields()).filter(({ type }) =>
      isLeafType(getNamedType(type)),
    )
    const names = Array.from({ length: 1 + randomBelow(3) }, () => oneOf(leaves).name)
    return `{ ${happens(0.6) ? 'totalCount ' : ''}nodes { id ${names.join(' ')} } }`
  }
  const isRecord = (type: GraphQLObjectType): boolean => type.getInterfaces().length > 0

  const objectType = (name: string): GraphQLObjectType => {
    const type = schema.getType(name)
    if (!isObjectType(type)) throw new TypeError(`${name} is not an object type.`)
    return type
  }

  const scope = (): string => {
    if (happens(0.02)) return `credentialId: "99999999-0000-4000-8000-000000000009"`
    if (happens(0.6)) return `credentialId: ${argument('ID', oneOf(credentialIds))}`
    return `credentialIds: ${argument('[ID!]', credentialIds)}`
  }

  const cursorOf = (resource: Resource, order: Order): string => {
    const id = recordId(
      oneOf(credentialIds),
      resource.topic,
      String(1 + randomBelow(recordsOfEach)),
    )
    const isTime = order.every(({ field }) => field === 'createdAt' || field === 'updatedAt')
    const values = isTime ? order.map(() => new Date().toISOString()) : undefined
    return encodeCursor(order, { id, values })
  }

  const linkedFilter = (resource: Resource): string => {
    const links = [...(filterLinks(catalogue).get(resource)?.values() ?? [])]
    if (links.length === 0) return '{}'
    const { name, isList } = oneOf(links)
    const filter = `{ remoteIdIn: ${argument('[String!]', ['1', '2'])} }`
    return `{ ${name}: ${isList ? `{ ${oneOf(listQuantifiers)}: ${filter} }` : filter} }`
  }

  const filters = [
    () => `{ remoteId: ${argument('String', '1')} }`,
    () =>
      `{ or: [{ remoteIdIn: ${argument('[String!]', ['1', '2'])} }, { remoteCreatedAtIsNull: true }] }`,
    // Few filters have a null, which is an error.
    () =>
      `{ not: { remoteId: ${argument('String', '1')}${happens(0.2) ? ', remoteCreatedAtMin: null' : ''} } }`,
    linkedFilter,
  ]

  const listArguments = (resource: Resource): string => {
    const parts = [scope(), ...pageArguments(resource)]
    return `(${parts.join(', ')})`
  }

  /** The lists of a type with their arguments, which fields of the same response name must share. */
  const lists = new Map<string, string[]>()
  let listCount = 0
  /** A list of linked records. */
  const linkedList = (parent: GraphQLObjectType, name: string, page: GraphQLObjectType): string => {
    if (happens(0.3)) return `${name}${directive()}`
    const key = `${parent.name}.${name}`
    const known = lists.get(key) ?? []
    lists.set(key, known)
    if (known.length > 0 && happens(0.4)) return `${oneOf(known)}${directive()}`
    const resource = catalogue.resources.find(
      ({ typeName }) => page.name === `${typeName}Connection`,
    )
    if (!resource) throw new TypeError(`${page.name} has no resource.`)
    const parts = pageArguments(resource)
    const listArgs = parts.length > 0 ? `(${parts.join(', ')})` : ''
    listCount += 1
    const list = `l${listCount}: ${name}${listArgs}`
    known.push(list)
    return `${list}${directive()}`
  }

  /** The arguments of any list: order, page and filter. */
  const pageArguments = (resource: Resource): string[] => {
    const parts: string[] = []
    const fields = happens(0.5) ? [oneOf(orderFields(resource))] : []
    if (fields.length > 0 && happens(0.4)) fields.push(oneOf(orderFields(resource)))
    const terms = [...new Set(fields)].map((name) => ({ field: name, isDescending: happens(0.5) }))
    const termText = terms.map(
      (term) =>
        `{ field: ${snakeCase(term.field).toUpperCase()}, direction: ${term.isDescending ? 'DESC' : 'ASC'} }`,
    )
    if (terms.length > 0)
      parts.push(`orderBy: ${terms.length === 1 ? termText.join() : `[${termText.join(', ')}]`}`)
    const size = happens(0.03) ? oneOf([0, 101]) : 1 + randomBelow(recordsOfEach + 2)
    const backward = happens(0.25)
    if (backward || happens(0.8))
      parts.push(`${backward ? 'last' : 'first'}: ${argument('Int', size)}`)
    if (happens(0.3)) {
      const cursor = happens(0.05) ? 'nonsense' : cursorOf(resource, orderOf(terms))
      parts.push(`${backward ? 'before' : 'after'}: ${argument('String', cursor)}`)
    }
    if (happens(0.3))
      parts.push(
        happens(0.5)
          ? `filter: { includeDeleted: ${argument('Boolean', happens(0.5))} }`
          : `filter: ${oneOf(filters)(resource)}`,
      )
    return parts
  }

  const rootField = (_value: unknown, index: number): string => {
    const resource = oneOf(catalogue.resources)
    const as = `r${index}`
    const n = 1 + randomBelow(recordsOfEach + 1)
    const credentialId = oneOf(credentialIds)
    const id = recordId(credentialId, resource.topic, String(n))
    if (happens(0.03)) return `${as}: __typename`
    // `__schema` has no plan, so the resolvers run it.
    if (happens(0.03)) return `${as}: __schema { queryType { name } }`
    if (happens(0.1))
      return `${as}: node(id: ${argument('ID!', id)})${directive()} { __typename ... on ${resource.typeName} ${selection(objectType(resource.typeName), 1)} }`
    if (happens(0.15))
      return `${as}: ${resource.getField}(credentialId: ${argument('ID!', credentialId)}, id: ${argument('ID!', happens(0.5) ? id : String(n))})${directive()} ${selection(objectType(resource.typeName), 1)}`
    return `${as}: ${resource.listField}${listArguments(resource)}${directive()} ${selection(objectType(`${resource.typeName}Connection`), 0)}`
  }

  const roots = Array.from({ length: 1 + randomBelow(3) }, rootField)
  const body = `{ ${roots.join(' ')} } ${fragments.join(' ')}`
  const parameters = definitions.length > 0 ? `(${definitions.join(', ')})` : ''
  return { query: `query ${parameters} ${body}`, variables }
}
