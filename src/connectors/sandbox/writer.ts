/** Creates, updates and deletes records of a collection. */
import {
  type AppResponse,
  isAbsent,
  type ResourceWriter,
  type StoredRecord,
} from '../../definition/connector.ts'
import { bodyWriter } from '../../definition/mapping/body-writer.ts'
import type { Mapping } from '../../definition/mapping.ts'
import { valuesOf } from '../../definition/raw-values.ts'
import { isObject } from '../../definition/value.ts'

/** `If-Match` header: for another version, the sandbox returns 409 (NOTES "`PUT` takes the given fields"). */
const versionHeader = ({ record }: StoredRecord) => {
  const { version } = valuesOf(record.remoteFields)
  if (!Number.isInteger(version))
    throw new TypeError(
      'The stored record of the sandbox has no integer version in its remoteFields.',
    )
  return { 'if-match': `"${version}"` }
}

const readRecord = ({ body }: AppResponse): unknown => {
  if (!isObject(body) || typeof body.id !== 'string')
    throw new Error('The sandbox responded to a write without the record.')
  return body
}

/** Creates the writer of a collection. */
export const createWriter = (
  kind: string,
  mapping: Mapping,
  sideEffects?: ResourceWriter['sideEffects'],
): ResourceWriter => {
  const pathOf = (id: string): string => `/v1/${kind}/${encodeURIComponent(id)}`
  return bodyWriter(mapping, {
    app: 'The sandbox',
    guard: 'version',
    ...(sideEffects && { sideEffects }),
    *get(remoteId) {
      try {
        return readRecord(yield { method: 'GET', path: pathOf(remoteId) })
      } catch (error) {
        if (isAbsent(error)) return undefined
        throw error
      }
    },
    *create(body) {
      return readRecord(yield { method: 'POST', path: `/v1/${kind}`, body })
    },
    *update(body, stored) {
      const request = { path: pathOf(stored.remoteId), headers: versionHeader(stored), body }
      return readRecord(yield { method: 'PUT', ...request })
    },
    *delete(stored) {
      const path = pathOf(stored.remoteId)
      yield { method: 'DELETE', path, headers: versionHeader(stored) }
    },
  })
}
