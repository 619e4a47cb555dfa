/** Rules that vendors and customers share. */
import { listOf, notNull } from '../../../definition/mapping/converters.ts'
import { phoneNumbers, postalAddress } from '../shared.ts'

export const party = {
  email: 'contact_email',
  taxNumber: 'vat_id',
  currency: notNull('currency_code'),
  companyId: notNull('company'),
  addresses: listOf('addresses', postalAddress),
  phoneNumbers,
} as const
