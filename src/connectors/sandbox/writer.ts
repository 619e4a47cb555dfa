/** How the records of a collection are made, changed and deleted. */
import {
  type AppResponse,
  isAbsent,
  type ResourceWriter,
  type StoredRecord,
} from '../../definition/connector.ts'
import type { Resource } from '../../definition/resource.ts'
import { isObject } from '../../definition/value.ts'
import { fieldNames, fieldsTaken, type Inverse, tellAll } from './inverse.ts'

const storedFields = ({ record }: StoredRecord): Readonly<Record<string, unknown>> =>
  isObject(record.remoteFields) ? record.remoteFields : {}

/** Names the version that is changed: of another, the sandbox answers 409 (NOTES 12). */
const guarded = (stored: StoredRecord) => {
  const { version } = storedFields(stored)
  if (!Number.isInteger(version))
    throw new TypeError('A stored record of the sandbox has no version.')
  return { 'if-match': `"${version}"` }
}

const readRecord = ({ body }: AppResponse): unknown => {
  if (!isObject(body) || typeof body.id !== 'string')
    throw new Error('The sandbox answered a write without the record.')
  return body
}

/** The writer of a collection. */
export const createWriter = (
  kind: string,
  { fields }: Resource,
  inverse: Inverse,
  touches?: ResourceWriter['touches'],
): ResourceWriter => {
  const pathOf = (id: string): string => `/v1/${kind}/${encodeURIComponent(id)}`
  return {
    *get(remoteId) {
      try {
        return readRecord(yield { method: 'GET', path: pathOf(remoteId) })
      } catch (error) {
        if (isAbsent(error)) return undefined
        throw error
      }
    },
    create: {
      fields: fieldsTaken(inverse, fields, true),
      *steps(input) {
        const body = yield* tellAll(inverse, input)
        return readRecord(yield { method: 'POST', path: `/v1/${kind}`, body })
      },
    },
    update: {
      fields: fieldsTaken(inverse, fields, false),
      guard: 'version',
      *steps(input, stored) {
        const headers = guarded(stored)
        const body = yield* tellAll(inverse, input, storedFields(stored))
        return readRecord(yield { method: 'PUT', path: pathOf(stored.remoteId), headers, body })
      },
    },
    delete: {
      guard: 'version',
      *steps(stored) {
        yield { method: 'DELETE', path: pathOf(stored.remoteId), headers: guarded(stored) }
      },
    },
    fieldNames: fieldNames(inverse),
    ...(touches && { touches }),
  }
}
