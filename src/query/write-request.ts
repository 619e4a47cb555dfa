/** Write requests: the common form of REST and GraphQL input. */

import type { Json } from '../definition/connector.ts'
import type { Fields } from '../definition/kinds/kind.ts'
import { commonFields, customFields, type Resource } from '../definition/resource.ts'
import { invalidParameter } from '../errors.ts'
import { memoize } from '../memoize.ts'
import { type Input, readInput } from './input.ts'

/** The parsed input of a write. References may be ids of this service, ids of the app or, where supported, names. */
export interface WriteRequest {
  /** The unified fields that the caller sent, in the form of `readInput`. */
  readonly fields: Input
  readonly remoteFields: Input
  /** By name; not yet checked. Absent: none. */
  readonly customFields?: Input
}

/** The fields of a resource that a caller may write, `remoteFields` and `customFields`. Returns the same object each time. */
export const inputFieldsOf = memoize(
  (resource: Resource): Fields => ({
    ...resource.fields,
    remoteFields: commonFields.remoteFields,
    customFields,
  }),
)

/**
 * The fields of a partial update: those of `inputFieldsOf`, all optional. A field that a create requires cannot be
 * null. Returns the same object each time.
 */
export const updatableFields = memoize(
  (resource: Resource): Fields =>
    Object.fromEntries(
      Object.entries(inputFieldsOf(resource)).map(([name, field]) => [
        name,
        field.required ? { ...field, required: false, rejectsNull: true } : field,
      ]),
    ),
)

/** The value of a field that must be an object. @throws INVALID_PARAMETER */
const readObject = (field: string, value: Json | undefined, names: string): Input => {
  if (value === undefined) return {}
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw invalidParameter(field, `an object whose names are ${names}`)
  // Checked to be an object; readInput has read its values as JSON.
  return value as { readonly [name: string]: Json }
}

/**
 * Parses the input of a write.
 * @param writable `inputFieldsOf` or `updatableFields` of the resource
 * @param pathFields the parent of a nested record, from the path; the body may repeat it
 * @param isSame whether two identifiers name the same record
 * @throws INVALID_PARAMETER naming the field and the expected value
 */
export const parseWrite = (
  writable: Fields,
  input: unknown,
  pathFields: Readonly<Record<string, string>> = {},
  isSame: (name: string, bodyValue: unknown, pathValue: string) => boolean = () => false,
): WriteRequest => {
  const { remoteFields, customFields, ...fields } = readInput(writable, input)
  for (const [name, value] of Object.entries(pathFields))
    if (fields[name] !== undefined && fields[name] !== value && !isSame(name, fields[name], value))
      throw invalidParameter(name, 'the same value as in the path, or no value')
  return {
    fields: { ...fields, ...pathFields },
    remoteFields: readObject('remoteFields', remoteFields, "the app's own field names"),
    customFields: readObject('customFields', customFields, 'custom fields'),
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
 * The fields that are not supported: e.g. `lineItems.unitCost` if only other parts of `lineItems` are. A field
 * that is supported as a whole is supported with all its parts.
 */
export const unsupportedFields = (
  fields: Input,
  supported: readonly string[],
): readonly string[] => {
  const known = new Set(supported)
  const isSupported = (path: string): boolean =>
    known.has(path) ||
    path.split('.').some((_, end, steps) => known.has(steps.slice(0, end).join('.')))
  const isPartlySupported = (name: string): boolean =>
    supported.some((path) => path.startsWith(`${name}.`))
  const unsupported = Object.entries(fields).flatMap(([name, value]) =>
    known.has(name)
      ? []
      : isPartlySupported(name)
        ? pathsIn(value, name, 3).filter((path) => path !== name && !isSupported(path))
        : [name],
  )
  return [...new Set(unsupported)]
}

/** The parent of a nested record: the reference field that leads to it, and its id. */
export interface ParentRecord {
  readonly field: string
  readonly id: string
}

/** The context of a write in addition to its input. */
export interface WriteAttempt {
  /** When an interrupted attempt at the same request began. It may have reached the app. */
  readonly interruptedSince?: Date | undefined
  /**
   * A UUID that identifies the request over all attempts at it, for apps with idempotent requests. Absent: there is one
   * attempt.
   */
  readonly key?: string | undefined
  /** `updatedAt` of the record as the caller read it. Any other version is a conflict. */
  readonly seenUpdatedAt?: string | undefined
  /** The parent in the path. Records of other parents are not found. */
  readonly below?: ParentRecord | undefined
  /** The workflow run that causes the write. The change log keeps it with the resulting changes. */
  readonly cause?: string | undefined
}

/** The credential whose records are written. */
export interface WriteOwner {
  readonly credentialId: string
  readonly environmentId: string
}

/** A record to create. */
export interface CreateRequest {
  readonly owner: WriteOwner
  readonly resource: Resource
  readonly request: WriteRequest
  readonly attempt: WriteAttempt
}

/** A record to delete. */
export interface DeleteRequest {
  readonly owner: WriteOwner
  readonly resource: Resource
  /** The id in the store. */
  readonly id: string
  readonly attempt: WriteAttempt
}

/** A record to update. */
export interface UpdateRequest extends DeleteRequest {
  readonly request: WriteRequest
}

/** A stored record: its JSON text as the API returns it, and its version. */
export interface VersionedRecord {
  readonly id: string
  readonly json: string
  /** ISO 8601. The version in entity tags and `ifUpdatedAt`. */
  readonly updatedAt: string
}

/**
 * Writes records in their app, then in the store. Each method returns the record as it is stored
 * afterwards. @throws ApiError
 */
export interface RecordWriter {
  create(request: CreateRequest): Promise<VersionedRecord>
  update(request: UpdateRequest): Promise<VersionedRecord>
  delete(request: DeleteRequest): Promise<VersionedRecord>
}
