import { defineShape, label, text } from '../../definition/field.ts'

export const phoneNumber = defineShape({
  name: 'PhoneNumber',
  doc: 'A telephone number and its type.',
  fields: {
    phoneNumberType: label('Type of the number.', ['PRIMARY', 'OTHER', 'MOBILE', 'FAX'], {
      required: true,
    }),
    phoneNumber: text('Telephone number, in the format of the app.', { required: true }),
  },
})
