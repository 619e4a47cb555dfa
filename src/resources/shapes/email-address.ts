import { defineShape, text } from '../../definition/field.ts'

export const emailAddress = defineShape({
  name: 'EmailAddress',
  doc: 'An e-mail address and what it is for.',
  fields: {
    emailAddressType: text('What the address is for.'),
    emailAddress: text('The address.'),
  },
})
