/** Companies. */
import { required } from '../../definition/mapping/converters.ts'
import { listByType } from '../../definition/mapping/list-by-type.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { account } from '../../resources/crm/account.ts'
import { companies } from './object-type.ts'
import { ownerName, property, timeProperty } from './property.ts'
import { objectResource } from './writer.ts'

const mapping = defineMapping(account, {
  remoteId: 'id',
  accountName: required(property('name')),
  accountOwner: ownerName,
  description: property('description'),
  industry: property('industry'),
  website: property('website'),
  numberOfEmployees: property('numberofemployees'),
  lastActivityAt: timeProperty('notes_last_updated'),
  addresses: listByType('addressType', {
    PRIMARY: {
      street1: property('address'),
      city: property('city'),
      state: property('state'),
      country: property('country'),
      postalCode: property('zip'),
    },
  }),
  phoneNumbers: listByType('phoneNumberType', { PRIMARY: { phoneNumber: property('phone') } }),
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: 'updatedAt',
  remoteDeleted: null, // archived companies are listed by id only
})

export const companyResource = objectResource(companies, mapping)
