import { note } from '../../../resources/crm/note.ts'
import { collection } from '../collection.ts'

/** `/v1/notes` */
export default collection('notes', note, {
  noteOwner: 'author',
  noteTitle: 'subject',
  noteContent: 'text',
  noteContact: 'person',
  noteAccount: 'organization',
  noteOpportunity: 'deal',
})
