import { text } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'

export const customer = defineResource({
  name: 'customer',
  plural: 'customers',
  category: 'commerce',
  doc: 'A person who buys from the shop.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    firstName: text('First name.'),
    lastName: text('Last name.'),
    email: text('E-mail address of the customer.'),
    phone: text('Telephone number of the customer.'),
  },
})
