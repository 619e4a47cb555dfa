/** Contacts. */
import { listByType } from '../../definition/mapping/list-by-type.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { withTextsAt } from '../../definition/raw-values.ts'
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

export const contactResource = objectResource(contacts, mapping, {
  // HubSpot stores e-mail addresses in lower case.
  normalize: ({ fields, remoteFields }) => ({
    fields: withTextsAt(fields, 'emailAddresses.emailAddress', (text) => text.toLowerCase()),
    remoteFields,
  }),
})
