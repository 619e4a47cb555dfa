import { defineShape, list, text } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'
import { emailAddress } from '../shapes/email-address.ts'
import { phoneNumber } from '../shapes/phone-number.ts'

const leadAddress = defineShape({
  name: 'LeadAddress',
  doc: 'A postal address of a lead.',
  fields: {
    addressType: text('What the address is for.'),
    street1: text('First line of the street address.'),
    city: text('City or town.'),
    state: text('State or region.'),
    country: text('Country.'),
  },
})

// Fields may be filtered as the API promises for its list of leads, and no others.
export const lead = defineResource({
  name: 'lead',
  plural: 'leads',
  category: 'crm',
  doc: 'A person who may become a customer and is not qualified yet.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    leadOwner: text('Name of the user who looks after the lead.'),
    leadSource: text('Where the lead came from.'),
    leadTitle: text('Job title of the lead, or the title the app gives it.'),
    company: text('Name of the company the lead works for.'),
    firstName: text('First name.'),
    lastName: text('Last name.'),
    addresses: list(leadAddress, 'Postal addresses of the lead.'),
    emailAddresses: list(emailAddress, 'E-mail addresses of the lead.'),
    phoneNumbers: list(phoneNumber, 'Telephone numbers of the lead.'),
  },
})
