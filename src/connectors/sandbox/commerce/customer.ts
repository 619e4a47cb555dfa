import { customer } from '../../../resources/commerce/customer.ts'
import { collection } from '../collection.ts'

/** `/v1/shoppers` */
export default collection('shoppers', customer, {
  firstName: 'given_name',
  lastName: 'family_name',
  email: 'email',
  phone: 'phone',
})
