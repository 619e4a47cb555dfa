import { defineShape, integer, list, text, timestamp } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'
import { phoneNumber } from '../shapes/phone-number.ts'

const accountAddress = defineShape({
  name: 'CrmAccountAddress',
  doc: 'A postal address of an account.',
  fields: {
    addressType: text('What the address is for.'),
    street1: text('First line of the street address.'),
    city: text('City or town.'),
    state: text('State or region.'),
    country: text('Country.'),
    postalCode: text('Postal code.'),
  },
})

// Fields may be filtered as the API promises for its list of accounts, and no others.
export const account = defineResource({
  name: 'account',
  plural: 'accounts',
  category: 'crm',
  doc: 'An organisation the company deals with.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    accountName: text('Name of the account.', { required: true }),
    accountOwner: text('Name of the user who looks after the account.'),
    description: text('Description of the account.'),
    industry: text('Industry the account works in.'),
    website: text('Web address of the account.'),
    numberOfEmployees: integer('People the account employs.'),
    lastActivityAt: timestamp('Last activity with the account.', { filters: ['equals'] }),
    addresses: list(accountAddress, 'Postal addresses of the account.'),
    phoneNumbers: list(phoneNumber, 'Telephone numbers of the account.'),
  },
})
