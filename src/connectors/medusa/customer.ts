/** Customers: those with an account, and guests. */
import { writableResource } from '../../definition/mapping/body-writer.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { passes } from '../../definition/paging/compose.ts'
import { totalReader } from '../../definition/paging/pager.ts'
import { valuesOf } from '../../definition/raw-values.ts'
import { customer } from '../../resources/commerce/customer.ts'
import { type Collection, changedSince, readManyOf, sync } from './listing.ts'

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

const pathOf = (id: string): string => `/admin/customers/${encodeURIComponent(id)}`

export const customers = writableResource(mapping, {
  app: 'Medusa',
  pages: passes(({ since }) => ({ changed: changedSince(collection, since) })),
  readMany: readManyOf(collection),
  sync: {
    ...sync,
    remoteCount: {
      request: { method: 'GET', path: '/admin/customers?fields=id&limit=1' },
      read: totalReader('count'),
    },
  },
  *create(body) {
    const { body: created } = yield { method: 'POST', path: '/admin/customers', body }
    return valuesOf(valuesOf(created).customer).id
  },
  *update(body, { remoteId }) {
    yield { method: 'POST', path: pathOf(remoteId), body }
  },
  *delete({ remoteId }) {
    yield { method: 'DELETE', path: pathOf(remoteId) }
  },
})
