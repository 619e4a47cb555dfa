import { defineMapping } from '../../../definition/mapping.ts'
import { customer } from '../../../resources/commerce/customer.ts'
import { collection } from '../collection.ts'
import { recordFields } from '../shared.ts'

const mapping = defineMapping(customer, {
  ...recordFields,
  firstName: 'given_name',
  lastName: 'family_name',
  email: 'email',
  phone: 'phone',
})

/** `/v1/shoppers` */
export default collection('shoppers', mapping, {
  firstName: 'given_name',
  lastName: 'family_name',
  email: 'email',
  phone: 'phone',
})
