/** Notes. */
import { required } from '../../definition/mapping/converters.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { note } from '../../resources/crm/note.ts'
import { notes } from './object-type.ts'
import { link, property } from './property.ts'
import { createObject, objectResource, withTimestamp } from './writer.ts'

const mapping = defineMapping(note, {
  remoteId: 'id',
  noteOwner: property('hubspot_owner_id'),
  noteTitle: null, // HubSpot has none
  noteContent: required(property('hs_note_body')), // HTML
  noteContact: link('contacts'),
  noteAccount: link('companies'),
  noteOpportunity: link('deals'),
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: 'updatedAt',
  remoteDeleted: null, // archived notes are listed by id only
})

export const noteResource = objectResource(notes, mapping, {
  *create(body) {
    return yield* createObject(notes, yield* withTimestamp(body))
  },
})
