import { defineMapping } from '../../../definition/mapping.ts'
import { note } from '../../../resources/crm/note.ts'
import { collection } from '../collection.ts'
import { recordFields } from '../shared.ts'

const mapping = defineMapping(note, {
  ...recordFields,
  noteOwner: 'author',
  noteTitle: 'subject',
  noteContent: 'text',
  noteContact: 'person',
  noteAccount: 'organization',
  noteOpportunity: 'deal',
})

/** `/v1/notes` */
export default collection('notes', mapping, {
  noteOwner: 'author',
  noteTitle: 'subject',
  noteContent: 'text',
  noteContact: 'person',
  noteAccount: 'organization',
  noteOpportunity: 'deal',
})
