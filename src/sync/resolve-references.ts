/** From the references that a caller gives to the ids that the app knows. */
import type { Catalogue } from '../definition/catalogue.ts'
import type { Json } from '../definition/connector.ts'
import type { Fields } from '../definition/field.ts'
import { credentialRoute, resourceTag, routeOf } from '../definition/identity.ts'
import type { Resource } from '../definition/resource.ts'
import { invalidParameter } from '../errors.ts'
import type { Input } from '../query/input.ts'
import type { Database } from '../store/database.ts'
import { nestedRemoteIdsOf, remoteIdsByText, remoteIdsOf } from '../store/references.ts'

interface Reference {
  readonly path: string
  readonly target: string
  readonly given: string
  /** Fields by which the target may be named too. */
  readonly names: readonly string[]
}

/** Rebuilds the input with each reference replaced by what `replace` says of it. */
const mapReferences = (
  fields: Fields,
  input: Input,
  replace: (reference: Reference) => string,
  path = '',
): Input =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]): [string, Json] => {
      const field = fields[name]
      const at = path + name
      if (field === undefined || value === null) return [name, value]
      // readInput has read each value as its field says.
      switch (field.kind) {
        case 'reference':
          return [
            name,
            replace({
              path: at,
              target: field.target,
              given: value as string,
              names: field.embeds ?? [],
            }),
          ]
        case 'references':
          return [
            name,
            (value as readonly string[]).map((given, index) =>
              replace({ path: `${at}[${index}]`, target: field.target, given, names: [] }),
            ),
          ]
        case 'list':
          return [
            name,
            (value as readonly Input[]).map((entry, index) =>
              mapReferences(field.shape.fields, entry, replace, `${at}[${index}].`),
            ),
          ]
        case 'object':
          return [name, mapReferences(field.shape.fields, value as Input, replace, `${at}.`)]
        default:
          return [name, value]
      }
    }),
  )

const keyOf = ({ target, given }: Reference): string => `${target}\n${given}`

/** References to one target that are looked up in one statement. */
interface LookUp {
  readonly database: Database
  readonly credentialId: string
  readonly owner: Resource
  /** Of the owner, where the target is nested in it. */
  readonly field: string | undefined
  /** The owner's fields by which it may be named. */
  readonly names: readonly string[]
  readonly references: readonly Reference[]
}

/** @returns the remote id of each reference by an id of ours @throws INVALID_PARAMETER */
const findByIds = async (lookUp: LookUp): Promise<string[]> => {
  const { database, credentialId, owner, field, references } = lookUp
  const ids = references.map(({ given }) => given.toLowerCase())
  const known =
    field === undefined
      ? await remoteIdsOf(database, credentialId, owner, ids)
      : await nestedRemoteIdsOf(database, credentialId, owner, field, ids)
  return references.map(({ path, target, given }) => {
    const remoteId = known.get(given.toLowerCase())
    if (remoteId !== undefined) return remoteId
    throw invalidParameter(path, `the id of one of ${target} of this credential`)
  })
}

/** @returns the remote id of each reference that may be a name @throws INVALID_PARAMETER */
const findByText = async (lookUp: LookUp): Promise<string[]> => {
  const { database, credentialId, owner, names, references } = lookUp
  const texts = references.map(({ given }) => given)
  const known = await remoteIdsByText(database, credentialId, owner, names, texts)
  return references.map(({ path, target, given }) => {
    const [remoteId, ...others] = known.get(given) ?? []
    if (remoteId === undefined)
      throw invalidParameter(path, `the identifier or ${names.join(', ')} of one of ${target}`)
    if (others.length > 0)
      throw invalidParameter(path, `an identifier: several of ${target} have this name`)
    return remoteId
  })
}

/**
 * The input with every reference as the app's own id. An id of ours is looked up, and so is what may be a
 * name, all of one target in one statement; anything else is the app's own and is passed on.
 * @throws INVALID_PARAMETER for an id of ours that the credential has no record of, and for a name that
 * none or several have
 */
export const resolveReferences = async (
  database: Database,
  catalogue: Catalogue,
  credentialId: string,
  resource: Resource,
  input: Input,
): Promise<Input> => {
  const found = new Map<string, Reference>()
  mapReferences(resource.fields, input, (reference) => {
    found.set(keyOf(reference), reference)
    return reference.given
  })
  if (found.size === 0) return input

  const isOurs = ({ target, given, path }: Reference): boolean => {
    const place = routeOf(given.toLowerCase())
    if (place?.tag !== resourceTag(target)) return false
    if (place.route === credentialRoute(credentialId)) return true
    throw invalidParameter(path, `the id of one of ${target} of this credential`)
  }
  const remoteIds = new Map<string, string>()
  const lookUp = (
    references: readonly Reference[],
    find: (lookUp: LookUp) => Promise<string[]>,
  ): Promise<void>[] =>
    [...Map.groupBy(references, ({ target }) => target)].map(async ([target, alike]) => {
      const [topic = '', field] = target.split('.')
      const names = [...new Set(alike.flatMap((reference) => reference.names))]
      const owner = catalogue.get(topic)
      const known = await find({ database, credentialId, owner, field, names, references: alike })
      for (const [place, reference] of alike.entries())
        remoteIds.set(keyOf(reference), known[place] ?? reference.given)
    })
  const { ours = [], named = [] } = Object.groupBy(found.values(), (reference) => {
    if (isOurs(reference)) return 'ours'
    return reference.names.length > 0 ? 'named' : 'passed on'
  })
  await Promise.all([...lookUp(ours, findByIds), ...lookUp(named, findByText)])
  return mapReferences(
    resource.fields,
    input,
    (reference) => remoteIds.get(keyOf(reference)) ?? reference.given,
  )
}
