import { defineShape, list, text } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'
import { emailAddress } from '../shapes/email-address.ts'
import { phoneNumber } from '../shapes/phone-number.ts'

const leadAddress = defineShape({
  name: 'LeadAddress',
  doc: 'A postal address of a lead.',
  fields: {
    addressType: text('Type of the address.'),
    street1: text('First line of the street address.'),
    city: text('City or town.'),
    state: text('State or region.'),
    country: text('Country.'),
  },
})

// The contract defines which fields of leads can be filtered.
export const lead = defineResource({
  name: 'lead',
  plural: 'leads',
  category: 'crm',
  doc: 'A potential customer who is not yet qualified.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    leadOwner: text('Name of the user who owns the lead.'),
    leadSource: text('Source of the lead, such as a website.'),
    leadTitle: text('Job title of the lead, or the title of the lead in the app.'),
    company: text('Name of the company the lead works for.'),
    firstName: text('First name.'),
    lastName: text('Last name.'),
    addresses: list(leadAddress, 'Postal addresses of the lead.'),
    emailAddresses: list(emailAddress, 'E-mail addresses of the lead.'),
    phoneNumbers: list(phoneNumber, 'Telephone numbers of the lead.'),
  },
})
