import { defineShape, label, text } from '../../definition/field.ts'
import { country } from '../country.ts'

/** The postal address of accounting records. */
export const postalAddress = defineShape({
  name: 'PostalAddress',
  doc: 'A postal address and its type.',
  fields: {
    addressType: label('Type of the address.', ['BILLING', 'SHIPPING'], { required: true }),
    street1: text('First line of the street address.', { required: true }),
    street2: text('Second line of the street address.'),
    city: text('City or town.'),
    state: text('State or region.'),
    countrySubdivision: text('State or region, as a subdivision code or name.'),
    country: country('Two-letter country code.'),
    zipCode: text('Postal code.'),
  },
})
