import { defineMapping } from '../../../definition/mapping.ts'
import { note } from '../../../resources/crm/note.ts'
import { history } from '../shared.ts'

/** `/v1/notes` */
export default defineMapping(note, {
  ...history,
  noteOwner: 'author',
  noteTitle: 'subject',
  noteContent: 'text',
  noteContact: 'person',
  noteAccount: 'organization',
  noteOpportunity: 'deal',
})
