/** Customers and vendors. */
import { flag, required } from '../../definition/mapping/converters.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { customer } from '../../resources/accounting/customer.ts'
import { vendor } from '../../resources/accounting/vendor.ts'
import { addresses, phoneNumbers } from './contact.ts'
import type { Entity } from './entity.ts'
import { common, currency, text } from './fields.ts'
import { collection } from './writer.ts'

const rules = {
  ...common,
  email: text('PrimaryEmailAddr.Address'),
  taxNumber: null, // NOTES "tax numbers": QuickBooks masks them
  currency,
  phoneNumbers,
} as const

export const CUSTOMER: Entity = { name: 'Customer', hasActive: true }
export const VENDOR: Entity = { name: 'Vendor', hasActive: true }

export const customers = collection(
  defineMapping(customer, {
    ...rules,
    customerName: required('DisplayName'),
    customerStatus: flag('Active', 'ACTIVE', 'ARCHIVED'),
    addresses: addresses({ BILLING: 'BillAddr', SHIPPING: 'ShipAddr' }),
  }),
  CUSTOMER,
)

export const vendors = collection(
  defineMapping(vendor, {
    ...rules,
    vendorName: required('DisplayName'),
    vendorStatus: flag('Active', 'ACTIVE', 'ARCHIVED'),
    addresses: addresses({ BILLING: 'BillAddr' }),
  }),
  VENDOR,
)
