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

/**
 * The input with every reference as the app's own id. An id of ours is looked up, all of one target in
 * one statement; anything else is the app's own and is passed on.
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

  const remoteIds = new Map<string, string>()
  const ours = new Map<string, Reference[]>()
  for (const reference of found.values()) {
    const { target, given, names, path } = reference
    const place = routeOf(given.toLowerCase())
    if (place?.tag === resourceTag(target)) {
      if (place.route !== credentialRoute(credentialId))
        throw invalidParameter(path, `the id of one of ${target} of this credential`)
      ours.set(target, [...(ours.get(target) ?? []), reference])
    } else if (names.length > 0) {
      const owner = catalogue.get(target)
      const matches = await remoteIdsByText(database, credentialId, owner, names, given)
      if (matches.length !== 1)
        throw invalidParameter(
          path,
          matches.length === 0
            ? `the identifier or ${names.join(', ')} of one of ${target}`
            : `an identifier: several of ${target} have this name`,
        )
      remoteIds.set(keyOf(reference), String(matches[0]))
    } else remoteIds.set(keyOf(reference), given)
  }

  await Promise.all(
    [...ours].map(async ([target, references]) => {
      const ids = references.map(({ given }) => given.toLowerCase())
      const [topic = '', field] = target.split('.')
      const owner = catalogue.get(topic)
      const known =
        field === undefined
          ? await remoteIdsOf(database, credentialId, owner, ids)
          : await nestedRemoteIdsOf(database, credentialId, owner, field, ids)
      for (const reference of references) {
        const remoteId = known.get(reference.given.toLowerCase())
        if (remoteId === undefined)
          throw invalidParameter(reference.path, `the id of one of ${target} of this credential`)
        remoteIds.set(keyOf(reference), remoteId)
      }
    }),
  )
  return mapReferences(
    resource.fields,
    input,
    (reference) => remoteIds.get(keyOf(reference)) ?? reference.given,
  )
}
