/** Resolves the references in a caller's input to the app's own ids. */
import type { Catalogue } from '../definition/catalogue.ts'
import { credentialRoute, resourceTag, routeOf } from '../definition/identity.ts'
import type { InputReference } from '../definition/kinds/kind.ts'
import { mapReferences } from '../definition/kinds/shape.ts'
import type { Resource } from '../definition/resource.ts'
import { invalidParameter } from '../errors.ts'
import type { Input } from '../query/input.ts'
import type { Database } from '../store/database/database.ts'
import { nestedRemoteIdsOf, remoteIdsById, remoteIdsByText } from '../store/records/references.ts'

const keyOf = ({ target, value }: InputReference): string => `${target}\n${value}`

/** References to one target, looked up in one statement. */
interface LookUp {
  readonly database: Database
  readonly credentialId: string
  readonly owner: Resource
  /** The owner's field that holds the target, if the target is nested. */
  readonly field: string | undefined
  /** The owner's fields that may serve as its name. */
  readonly names: readonly string[]
  readonly references: readonly InputReference[]
}

/** Resolves references by ids of this service. @returns their remote ids @throws INVALID_PARAMETER */
const findByIds = async (lookUp: LookUp): Promise<string[]> => {
  const { database, credentialId, owner, field, references } = lookUp
  const ids = references.map(({ value }) => value.toLowerCase())
  const known =
    field === undefined
      ? await remoteIdsById(database, credentialId, owner, ids)
      : await nestedRemoteIdsOf(database, credentialId, owner, field, ids)
  return references.map(({ path, target, value }) => {
    const remoteId = known.get(value.toLowerCase())
    if (remoteId !== undefined) return remoteId
    throw invalidParameter(path, `the id of a record of ${target} in this credential`)
  })
}

/** Resolves references that may be names. @returns their remote ids @throws INVALID_PARAMETER */
const findByText = async (lookUp: LookUp): Promise<string[]> => {
  const { database, credentialId, owner, names, references } = lookUp
  const texts = references.map(({ value }) => value)
  const known = await remoteIdsByText(database, credentialId, owner, names, texts)
  return references.map(({ path, target, value }) => {
    const [remoteId, ...others] = known.get(value) ?? []
    if (remoteId === undefined)
      throw invalidParameter(path, `the id or ${names.join(', ')} of a record of ${target}`)
    if (others.length > 0)
      throw invalidParameter(path, `an id, because several records of ${target} have this name`)
    return remoteId
  })
}

/**
 * Replaces every reference in the input by the app's own id. Ids of this service and possible names are looked
 * up, one statement for each target; any other value is an id of the app and stays.
 * @throws INVALID_PARAMETER for an id of this service without a record in the credential, and for a name that
 * no record or several records have
 */
export const resolveReferences = async (
  database: Database,
  catalogue: Catalogue,
  credentialId: string,
  resource: Resource,
  input: Input,
): Promise<Input> => {
  const found = new Map<string, InputReference>()
  mapReferences(resource.fields, input, (reference) => {
    found.set(keyOf(reference), reference)
    return reference.value
  })
  if (found.size === 0) return input

  const isLocalId = ({ target, value, path }: InputReference): boolean => {
    const parts = routeOf(value.toLowerCase())
    if (parts?.tag !== resourceTag(target)) return false
    if (parts.route === credentialRoute(credentialId)) return true
    throw invalidParameter(path, `the id of a record of ${target} in this credential`)
  }
  const remoteIds = new Map<string, string>()
  const lookUp = (
    references: readonly InputReference[],
    find: (lookUp: LookUp) => Promise<string[]>,
  ): Promise<void>[] =>
    [...Map.groupBy(references, ({ target }) => target)].map(async ([target, sameTarget]) => {
      const [topic = '', field] = target.split('.')
      const names = [...new Set(sameTarget.flatMap((reference) => reference.names))]
      const owner = catalogue.get(topic)
      const known = await find({
        database,
        credentialId,
        owner,
        field,
        names,
        references: sameTarget,
      })
      for (const [index, reference] of sameTarget.entries())
        remoteIds.set(keyOf(reference), known[index] ?? reference.value)
    })
  const { local = [], named = [] } = Object.groupBy(found.values(), (reference) => {
    if (isLocalId(reference)) return 'local'
    return reference.names.length > 0 ? 'named' : 'passed on'
  })
  await Promise.all([...lookUp(local, findByIds), ...lookUp(named, findByText)])
  return mapReferences(
    resource.fields,
    input,
    (reference) => remoteIds.get(keyOf(reference)) ?? reference.value,
  )
}
