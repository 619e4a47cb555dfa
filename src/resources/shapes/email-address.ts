import { defineShape, text } from '../../definition/field.ts'

export const emailAddress = defineShape({
  name: 'EmailAddress',
  doc: 'An e-mail address and its type.',
  fields: {
    emailAddressType: text('Type of the address.'),
    emailAddress: text('E-mail address.'),
  },
})
