import { boolean, text } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'

export const user = defineResource({
  name: 'user',
  plural: 'users',
  category: 'crm',
  doc: 'A person who uses the app and can own records.',
  verbs: ['list', 'get'],
  fields: {
    name: text('Full name of the user.'),
    email: text('E-mail address of the user.'),
    isActive: boolean('Whether the user can still sign in to the app.'),
  },
})
