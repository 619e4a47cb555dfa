/** A record to be written, as a caller gives it: the one form that REST and GraphQL input take. */
import type { Json } from '../definition/connector.ts'
import { commonFields, type Resource } from '../definition/resource.ts'
import { invalidParameter } from '../errors.ts'
import { type Input, readInput } from './input.ts'

/** References may be ids of ours, ids of the app, or (where the reference embeds it) a name. */
export interface WriteRequest {
  /** The given unified fields, in the form of `readInput`. */
  readonly fields: Input
  readonly remoteFields: Input
}

/** The fields that a caller may give of a record, those of the app among them. */
export const writableFields = ({ fields }: Resource) => ({
  ...fields,
  remoteFields: commonFields.remoteFields,
})

/**
 * Reads what is to be written. `above` is what the path says: the parent of a nested record, which the
 * body may say too; `isSame` tells whether two identifiers are of one record.
 * @throws INVALID_PARAMETER naming the field and what was expected
 */
export const parseWrite = (
  resource: Resource,
  given: unknown,
  above: Readonly<Record<string, string>> = {},
  isSame: (name: string, given: unknown, above: string) => boolean = () => false,
): WriteRequest => {
  const { remoteFields = {}, ...fields } = readInput(writableFields(resource), given)
  if (remoteFields === null || typeof remoteFields !== 'object' || Array.isArray(remoteFields))
    throw invalidParameter('remoteFields', "an object of fields by the app's own names")
  for (const [name, value] of Object.entries(above))
    if (fields[name] !== undefined && fields[name] !== value && !isSame(name, fields[name], value))
      throw invalidParameter(name, 'what the address says, or nothing')
  return {
    fields: { ...fields, ...above },
    // An object that is no list: its values were read as JSON.
    remoteFields: remoteFields as { readonly [name: string]: Json },
  }
}

const pathsIn = (value: Json, path: string, depth: number): string[] => {
  if (depth === 0 || value === null || typeof value !== 'object') return [path]
  if (Array.isArray(value)) return value.flatMap((entry) => pathsIn(entry, path, depth))
  return Object.entries(value).flatMap(([name, entry]) =>
    pathsIn(entry, `${path}.${name}`, depth - 1),
  )
}

/**
 * The given fields that are not among the taken: `lineItems.unitCost` where only other parts of the lines
 * are. A field that is taken as a whole is taken with all its parts.
 */
export const fieldsNotTaken = (fields: Input, taken: readonly string[]): readonly string[] => {
  const known = new Set(taken)
  const isTaken = (path: string): boolean =>
    known.has(path) ||
    path.split('.').some((_, end, steps) => known.has(steps.slice(0, end).join('.')))
  const partlyTaken = (name: string): boolean => taken.some((path) => path.startsWith(`${name}.`))
  const missing = Object.entries(fields).flatMap(([name, value]) =>
    known.has(name)
      ? []
      : partlyTaken(name)
        ? pathsIn(value, name, 3).filter((path) => path !== name && !isTaken(path))
        : [name],
  )
  return [...new Set(missing)]
}

/** The record above a nested one: the reference field that leads to it, and its id. */
export interface ParentRecord {
  readonly field: string
  readonly id: string
}

/** What is known of a write beside what it asks for. */
export interface WriteAttempt {
  /** When an earlier try of the same request began: it was broken off, and may have reached the app. */
  readonly brokenOffSince?: Date | undefined
  /** `updatedAt` of the record that the caller has seen; another one is a conflict. */
  readonly seenUpdatedAt?: string | undefined
  /** The record that the address names above it: one of another parent is absent. */
  readonly below?: ParentRecord | undefined
  /** The workflow run that asks for it: kept with the changes that follow. */
  readonly cause?: string | undefined
}

/** Whose records are written. */
export interface WriteOwner {
  readonly credentialId: string
  readonly environmentId: string
}

/**
 * Writes records in their app, and then here. Each answers with the record as it is stored once the app
 * has it: JSON text. @throws ApiError
 */
export interface RecordWriter {
  create(
    owner: WriteOwner,
    resource: Resource,
    request: WriteRequest,
    attempt: WriteAttempt,
  ): Promise<string>
  update(
    owner: WriteOwner,
    resource: Resource,
    id: string,
    request: WriteRequest,
    attempt: WriteAttempt,
  ): Promise<string>
  delete(owner: WriteOwner, resource: Resource, id: string, attempt: WriteAttempt): Promise<string>
}
