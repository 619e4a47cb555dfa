import { reference, text } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'

export const note = defineResource({
  name: 'note',
  plural: 'notes',
  category: 'crm',
  doc: 'A note about a contact, an account or an opportunity.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    noteOwner: reference('crm/users', 'User who owns the note.', { as: 'owner' }),
    noteTitle: text('Title of the note.'),
    noteContent: text('Text of the note.'),
    noteContact: reference('crm/contacts', 'Contact the note is about.', { as: 'contact' }),
    noteAccount: reference('crm/accounts', 'Account the note is about.', { as: 'account' }),
    noteOpportunity: reference('crm/opportunities', 'Opportunity the note is about.', {
      as: 'opportunity',
    }),
  },
})
