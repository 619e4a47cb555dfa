import { writableResource } from '../../definition/mapping/body-writer.ts'
import { blankAsNull, required } from '../../definition/mapping/converters.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { passes } from '../../definition/paging/compose.ts'
import { withTextsAt } from '../../definition/raw-values.ts'
import { customer } from '../../resources/commerce/customer.ts'
import { mutate, OR_ERROR, write } from './graphql.ts'
import { type Collection, pagesOf, readManyOf, sync } from './listing.ts'

const collection: Collection = {
  list: 'customers',
  // `user` is null for a guest.
  fields: 'id createdAt updatedAt title firstName lastName emailAddress phoneNumber user { id }',
  take: 500,
}

const mapping = defineMapping(customer, {
  remoteId: 'id',
  firstName: required('firstName'),
  lastName: required('lastName'),
  email: required('emailAddress'),
  phone: blankAsNull('phoneNumber'), // NOTES "an unset value is null or empty"
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: 'updatedAt',
  remoteDeleted: null, // NOTES "deletions leave no trace"
})

const OR_CUSTOMER = `... on Customer { id } ${OR_ERROR}`

/** Guests, and customers with an account, which a write creates (NOTES "a created customer has an account"). */
export const customers = writableResource(mapping, {
  app: 'Vendure',
  // A change of any mapped field updates `updatedAt` (NOTES "product updatedAt").
  pages: passes(({ since }) => ({
    changed: pagesOf(collection, since === undefined ? {} : { updatedAt: { after: since } }),
  })),
  readMany: readManyOf(collection),
  sync,
  remoteFields: { reserved: ['id'] },
  *create(input) {
    return (yield* write('createCustomer', input, OR_CUSTOMER)).id
  },
  *update(body, { remoteId: id }) {
    yield* write('updateCustomer', { ...body, id }, OR_CUSTOMER)
  },
  *delete({ remoteId: id }) {
    yield* mutate('deleteCustomer(id: ID!)', { id }, 'result message')
  },
  // Vendure trims and lower-cases e-mail addresses.
  normalize: ({ fields, remoteFields }) => ({
    fields: withTextsAt(fields, 'email', (email) => email.trim().toLowerCase()),
    remoteFields,
  }),
})
