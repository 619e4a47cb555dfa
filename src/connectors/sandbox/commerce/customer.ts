import { defineMapping } from '../../../definition/mapping.ts'
import { customer } from '../../../resources/commerce/customer.ts'
import { history } from '../shared.ts'

/** `/v1/shoppers` */
export default defineMapping(customer, {
  ...history,
  firstName: 'given_name',
  lastName: 'family_name',
  email: 'email',
  phone: 'phone',
})
