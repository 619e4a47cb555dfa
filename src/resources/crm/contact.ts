import { defineShape, list, reference, text, timestamp } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'
import { emailAddress } from '../shapes/email-address.ts'
import { phoneNumber } from '../shapes/phone-number.ts'

const contactAddress = defineShape({
  name: 'ContactAddress',
  doc: 'A postal address of a contact.',
  fields: {
    addressType: text('Type of the address.'),
    street1: text('First line of the street address.'),
    street2: text('Second line of the street address.'),
    city: text('City or town.'),
    state: text('State or region.'),
    countrySubdivision: text('State or region, as a subdivision code or name.'),
    country: text('Country.'),
    postalCode: text('Postal code.'),
  },
})

export const contact = defineResource({
  name: 'contact',
  plural: 'contacts',
  category: 'crm',
  doc: 'A person with whom the company does business.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    firstName: text('First name.'),
    lastName: text('Last name.', { required: true }),
    account: reference('crm/accounts', 'Account the contact belongs to.', {
      as: 'account',
      embeds: ['accountName'],
    }),
    addresses: list(contactAddress, 'Postal addresses of the contact.'),
    emailAddresses: list(emailAddress, 'E-mail addresses of the contact.'),
    phoneNumbers: list(phoneNumber, 'Telephone numbers of the contact.'),
    lastActivityAt: timestamp('Time of the last activity with the contact.'),
  },
})
