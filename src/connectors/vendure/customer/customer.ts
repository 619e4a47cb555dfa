import { blankAsNull, required } from '../../../definition/mapping/converters.ts'
import { defineMapping } from '../../../definition/mapping.ts'
import { customer } from '../../../resources/commerce/customer.ts'
import { listing } from '../listing.ts'

/** The selected fields of a customer. `user` is null for a guest. */
const FIELDS =
  'id createdAt updatedAt title firstName lastName emailAddress phoneNumber user { id }'

/** The mapping of customers, both guests and customers with an account. */
export const mapping = defineMapping(customer, {
  remoteId: 'id',
  firstName: required('firstName'),
  lastName: required('lastName'),
  email: required('emailAddress'),
  phone: blankAsNull('phoneNumber'), // NOTES "an unset value is null or empty"
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: 'updatedAt',
  remoteDeleted: null, // NOTES "deletions leave no trace"
})

/** The listing of customers. A change of any mapped field updates `updatedAt` (NOTES "product updatedAt"). */
export const customers = listing({
  mapping,
  list: 'customers',
  fields: FIELDS,
  pageSize: 500,
  changesSince: (since, { records }) => ({ changed: records({ updatedAt: { after: since } }) }),
})
