import {
  isAbsent,
  type ResourceConnector,
  type ResourceWriter,
} from '../../../src/definition/connector.ts'
import { readOnly, required } from '../../../src/definition/mapping/converters.ts'
import { buildBody, writableFields } from '../../../src/definition/mapping/write.ts'
import { defineMapping } from '../../../src/definition/mapping.ts'
import { account } from '../../../src/resources/crm/account.ts'
import { pagesOf, readManyOf } from './listing.ts'

const app = 'Template'
const path = '/accounts'

const mapping = defineMapping(account, {
  remoteId: 'id',
  remoteCreatedAt: 'created_at',
  remoteUpdatedAt: 'updated_at',
  remoteDeleted: 'deleted',
  accountName: required('name'),
  accountOwner: readOnly('owner.name'),
  description: 'description',
  industry: 'industry',
  website: 'website',
  numberOfEmployees: 'employees',
  lastActivityAt: null, // Template has no activities
  addresses: null, // Template has none
  phoneNumbers: null, // Template has none
})

const pathOf = (remoteId: string): string => `${path}/${encodeURIComponent(remoteId)}`

const write: ResourceWriter = {
  *get(remoteId) {
    try {
      return (yield { method: 'GET', path: pathOf(remoteId) }).body
    } catch (error) {
      if (isAbsent(error)) return undefined
      throw error
    }
  },
  create: {
    fields: writableFields(mapping, 'create'),
    *steps(input) {
      const body = yield* buildBody(mapping, input, { app, verb: 'create' })
      return (yield { method: 'POST', path, body }).body
    },
  },
  update: {
    fields: writableFields(mapping, 'update'),
    guard: 'compare',
    *steps(input, { remoteId }) {
      const body = yield* buildBody(mapping, input, { app, verb: 'update' })
      return (yield { method: 'PATCH', path: pathOf(remoteId), body }).body
    },
  },
  delete: {
    guard: 'compare',
    *steps({ remoteId }) {
      yield { method: 'DELETE', path: pathOf(remoteId) }
    },
  },
}

export const accounts: ResourceConnector = {
  mapping,
  ...pagesOf(path),
  readMany: readManyOf(path),
  // NOTES "changes", "deletions"
  sync: { changes: { by: 'time', overlapMs: 5_000 }, deletions: 'reported' },
  write,
}
