import { defineMapping } from '../../definition/mapping.ts'
import { customer } from '../../resources/commerce/customer.ts'
import { listing } from './listing.ts'

/** What is asked of a customer; `user` is null for a guest. */
const FIELDS =
  'id createdAt updatedAt title firstName lastName emailAddress phoneNumber user { id }'

/** A customer, be it a guest or one with an account. */
export const mapping = defineMapping(customer, {
  remoteId: 'id',
  firstName: 'firstName',
  lastName: 'lastName',
  email: 'emailAddress',
  // NOTES 26: unset is null or empty.
  phone: ({ phoneNumber }) => phoneNumber || null,
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: 'updatedAt',
  remoteDeleted: null, // NOTES 15: they vanish
})

/** All that a unified customer holds moves `updatedAt` (NOTES 14). */
export const customers = listing({
  ...{ mapping, list: 'customers', fields: FIELDS },
  pageSize: 500,
  changesSince: (since) => [{ filter: { updatedAt: { after: since } } }],
})
