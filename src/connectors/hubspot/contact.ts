/** Contacts. */
import { listByType } from '../../definition/mapping/list-by-type.ts'
import { objectsIn } from '../../definition/mapping/match-entries.ts'
import type { JsonObject } from '../../definition/mapping/rule.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { contact } from '../../resources/crm/contact.ts'
import { contacts } from './object-type.ts'
import { link, property, timeProperty } from './property.ts'
import { objectResource } from './writer.ts'

const mapping = defineMapping(contact, {
  remoteId: 'id',
  firstName: property('firstname'),
  lastName: property('lastname'),
  account: link('companies'),
  addresses: listByType('addressType', {
    PRIMARY: {
      street1: property('address'),
      street2: null, // HubSpot has one line
      city: property('city'),
      state: property('state'),
      countrySubdivision: null, // the same as the state
      country: property('country'),
      postalCode: property('zip'),
    },
  }),
  emailAddresses: listByType('emailAddressType', {
    PRIMARY: { emailAddress: property('email') },
    WORK: { emailAddress: property('work_email') },
  }),
  phoneNumbers: listByType('phoneNumberType', {
    PRIMARY: { phoneNumber: property('phone') },
    MOBILE: { phoneNumber: property('mobilephone') },
    FAX: { phoneNumber: property('fax') },
  }),
  lastActivityAt: timeProperty('notes_last_updated'),
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: 'updatedAt',
  remoteDeleted: null, // archived contacts are listed by id only
})

/** An e-mail address in the form of HubSpot: in lower case. */
const listedAddress = (entry: JsonObject): JsonObject =>
  typeof entry.emailAddress === 'string'
    ? { ...entry, emailAddress: entry.emailAddress.toLowerCase() }
    : entry

export const contactResource = objectResource(contacts, mapping, {
  normalize: ({ fields, remoteFields }) => {
    const { emailAddresses } = fields
    if (!Array.isArray(emailAddresses)) return { fields, remoteFields }
    return {
      fields: { ...fields, emailAddresses: objectsIn(emailAddresses).map(listedAddress) },
      remoteFields,
    }
  },
})
