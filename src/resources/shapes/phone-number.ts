import { defineShape, label, text } from '../../definition/field.ts'

export const phoneNumber = defineShape({
  name: 'PhoneNumber',
  doc: 'A telephone number and what it is for.',
  fields: {
    phoneNumberType: label('What the number is for.', ['PRIMARY', 'OTHER', 'MOBILE', 'FAX'], {
      required: true,
    }),
    phoneNumber: text('The number as the app keeps it.', { required: true }),
  },
})
