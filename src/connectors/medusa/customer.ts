/** Customers: those with an account, and guests. */
import type { ResourceConnector } from '../../definition/connector.ts'
import { buildBody, writableFields } from '../../definition/mapping/write.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { getBy, passes } from '../../definition/paging/compose.ts'
import { customer } from '../../resources/commerce/customer.ts'
import { type Collection, changedSince, readManyOf, readOne, sync } from './listing.ts'
import { valuesOf } from './records.ts'

const app = 'Medusa'

const collection: Collection = {
  path: 'customers',
  list: 'customers',
  fields: [
    'id',
    'first_name',
    'last_name',
    'email',
    'phone',
    'company_name',
    'has_account',
    'metadata',
    'created_at',
    'updated_at',
  ],
}

const mapping = defineMapping(customer, {
  remoteId: 'id',
  firstName: 'first_name',
  lastName: 'last_name',
  email: 'email',
  phone: 'phone',
  remoteCreatedAt: 'created_at',
  remoteUpdatedAt: 'updated_at',
  remoteDeleted: null, // NOTES "other deletions leave no trace"
})

const readMany = readManyOf(collection)
const pathOf = (id: string): string => `/admin/customers/${encodeURIComponent(id)}`

export const customers: ResourceConnector = {
  mapping,
  ...passes(({ since }) => ({ changed: changedSince(collection, since) })),
  readMany,
  sync: {
    ...sync,
    remoteCount: {
      request: { method: 'GET', path: '/admin/customers?fields=id&limit=1' },
      read: ({ body }) => {
        const { count } = valuesOf(body)
        if (typeof count !== 'number') throw new Error('The list of customers has no count.')
        return count
      },
    },
  },
  write: {
    get: getBy(readMany),
    create: {
      fields: writableFields(mapping, 'create'),
      *steps(input) {
        const body = yield* buildBody(mapping, input, { app, verb: 'create' })
        const { body: created } = yield { method: 'POST', path: '/admin/customers', body }
        return yield* readOne(readMany, String(valuesOf(valuesOf(created).customer).id))
      },
    },
    update: {
      fields: writableFields(mapping, 'update'),
      guard: 'compare',
      *steps(input, { remoteId }) {
        const body = yield* buildBody(mapping, input, { app, verb: 'update' })
        yield { method: 'POST', path: pathOf(remoteId), body }
        return yield* readOne(readMany, remoteId)
      },
    },
    delete: {
      guard: 'compare',
      *steps({ remoteId }) {
        yield { method: 'DELETE', path: pathOf(remoteId) }
      },
    },
  },
}
