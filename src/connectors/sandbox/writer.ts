/** Creates, updates and deletes records of a collection. */
import {
  type AppResponse,
  isAbsent,
  type ResourceWriter,
  type StoredRecord,
} from '../../definition/connector.ts'
import { buildBody, writableFields } from '../../definition/mapping/write.ts'
import type { Mapping } from '../../definition/mapping.ts'
import { isObject } from '../../definition/value.ts'

const APP = 'The sandbox'

const storedFields = ({ record }: StoredRecord): Readonly<Record<string, unknown>> =>
  isObject(record.remoteFields) ? record.remoteFields : {}

/** `If-Match` header: for another version, the sandbox returns 409 (NOTES "`PUT` takes the given fields"). */
const versionHeader = (stored: StoredRecord) => {
  const { version } = storedFields(stored)
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
      fields: writableFields(mapping, 'create'),
      *steps(input) {
        const body = yield* buildBody(mapping, input, { app: APP, verb: 'create' })
        return readRecord(yield { method: 'POST', path: `/v1/${kind}`, body })
      },
    },
    update: {
      fields: writableFields(mapping, 'update'),
      guard: 'version',
      *steps(input, record) {
        const [stored, headers] = [storedFields(record), versionHeader(record)]
        const body = yield* buildBody(mapping, input, { app: APP, verb: 'update', stored })
        return readRecord(yield { method: 'PUT', path: pathOf(record.remoteId), headers, body })
      },
    },
    delete: {
      guard: 'version',
      *steps(record) {
        yield { method: 'DELETE', path: pathOf(record.remoteId), headers: versionHeader(record) }
      },
    },
    ...(sideEffects && { sideEffects }),
  }
}
