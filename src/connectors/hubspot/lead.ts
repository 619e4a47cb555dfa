/** Leads: each belongs to a contact, from which HubSpot copies the name and the e-mail address. */
import {
  isAbsent,
  type Json,
  missingValue,
  orUndo,
  type Steps,
  WriteRejection,
} from '../../definition/connector.ts'
import { createOnly, readOnly, writtenTo } from '../../definition/mapping/converters.ts'
import { listByType } from '../../definition/mapping/list-by-type.ts'
import type { JsonObject } from '../../definition/mapping/rule.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { withQuery } from '../../definition/paging/pager.ts'
import { valuesOf } from '../../definition/raw-values.ts'
import { lead } from '../../resources/crm/lead.ts'
import { contacts, crmPath, leads } from './object-type.ts'
import { ownerName, property, textOf } from './property.ts'
import { associationTypes, createObject, objectIn, objectResource } from './writer.ts'

/** A property of the lead's contact: the lead shows a copy; a create writes it to the contact. */
const ofContact = (name: string, shownAs: string) =>
  createOnly(writtenTo(`contact.${name}`, property(shownAs)))

const mapping = defineMapping(lead, {
  remoteId: 'id',
  leadOwner: ownerName,
  leadSource: property('hs_lead_source'),
  leadTitle: property('hs_lead_name'),
  company: readOnly(property('hs_associated_company_name')),
  firstName: ofContact('firstname', 'hs_associated_contact_firstname'),
  lastName: ofContact('lastname', 'hs_associated_contact_lastname'),
  addresses: null, // of the contact
  emailAddresses: createOnly(
    listByType('emailAddressType', {
      PRIMARY: { emailAddress: ofContact('email', 'hs_associated_contact_email') },
    }),
  ),
  phoneNumbers: null, // of the contact
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: 'updatedAt',
  remoteDeleted: null, // archived leads are listed by id only
})

const PRIMARY_CONTACT = 578 // NOTES "association types"

/** The contact with an e-mail address, which is unique in HubSpot. */
function* findContact(email: string): Steps<string | undefined> {
  try {
    const path = withQuery(crmPath('objects', contacts.name, email), { idProperty: 'email' })
    return String(valuesOf((yield { method: 'GET', path }).body).id)
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

const associationWith = (contactId: string): readonly Json[] => [
  { to: { id: contactId }, types: associationTypes(PRIMARY_CONTACT) },
]

/** The lead with its name: by default, that of the contact. */
const withName = (properties: JsonObject, contact: JsonObject): JsonObject => {
  const { firstname = null, lastname = null, email = null } = contact
  const name = [firstname, lastname].map(textOf).filter(Boolean).join(' ') || textOf(email)
  return { hs_lead_name: name, ...properties }
}

/** Creates a lead, and its contact if there is none with the e-mail address (NOTES "a lead needs a contact"). */
function* createLead(body: JsonObject): Steps<string> {
  const person = objectIn(body, 'contact')
  const properties = objectIn(body, 'properties')
  const email = textOf(person.email ?? null)
  const isNamed = Object.values(person).some((value) => textOf(value) !== '')
  if (Array.isArray(body.associations)) {
    if (!isNamed) return yield* createObject(leads, body)
    throw new WriteRejection(
      'The name and the address are those of a contact; pass either them or associations.',
      'remoteFields.associations',
    )
  }
  if (!isNamed)
    throw missingValue('HubSpot requires a contact: pass a name or an address.', 'emailAddresses')
  const found = email === '' ? undefined : yield* findContact(email)
  const contactId = found ?? (yield* createObject(contacts, { properties: person }))
  const creation = createObject(leads, {
    properties: withName(properties, person),
    associations: associationWith(contactId),
  })
  if (found !== undefined) return yield* creation
  // Otherwise the contact of the failed lead would stay.
  const path = crmPath('objects', contacts.name, contactId)
  return yield* orUndo(creation, { method: 'DELETE', path })
}

export const leadResource = objectResource(leads, mapping, { create: createLead })
