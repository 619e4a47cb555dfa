import { defineShape, integer, list, text, timestamp } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'
import { phoneNumber } from '../shapes/phone-number.ts'

const accountAddress = defineShape({
  name: 'CrmAccountAddress',
  doc: 'A postal address of an account.',
  fields: {
    addressType: text('Type of the address.'),
    street1: text('First line of the street address.'),
    city: text('City or town.'),
    state: text('State or region.'),
    country: text('Country.'),
    postalCode: text('Postal code.'),
  },
})

// The contract defines which fields of accounts can be filtered.
export const account = defineResource({
  name: 'account',
  plural: 'accounts',
  category: 'crm',
  doc: 'An organisation with which the company does business.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    accountName: text('Name of the account.', { required: true }),
    accountOwner: text('Name of the user who owns the account.'),
    description: text('Description of the account.'),
    industry: text('Industry of the account.'),
    website: text('URL of the account.'),
    numberOfEmployees: integer('Number of people that the account employs.'),
    lastActivityAt: timestamp('Time of the last activity with the account.', {
      filters: ['equals'],
    }),
    addresses: list(accountAddress, 'Postal addresses of the account.'),
    phoneNumbers: list(phoneNumber, 'Telephone numbers of the account.'),
  },
})
