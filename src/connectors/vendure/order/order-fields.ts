/** The addresses and lines of an order (NOTES "an order is changed in the state Modifying"). */
import { isDeepStrictEqual } from 'node:util'
import { WriteRejection } from '../../../definition/connector.ts'
import { changedEntries, writtenEntries } from '../../../definition/mapping/changed-fields.ts'
import {
  atLeast,
  blankAsNull,
  listOf,
  notNull,
  objectOf,
  ofRecord,
  onlyChanges,
  readOnly,
  required,
} from '../../../definition/mapping/converters.ts'
import type { Converter, JsonObject } from '../../../definition/mapping/rule.ts'
import { writeValue } from '../../../definition/mapping/write.ts'
import { textsAt, type Values, valuesOf } from '../../../definition/raw-values.ts'
import { amount } from '../shop.ts'

/** Splits a full name at its last space, because Vendure stores one name. */
const splitName = (fullName: string) => {
  const name = fullName.trim()
  const space = name.lastIndexOf(' ')
  return {
    firstName: name.slice(0, Math.max(space, 0)).trimEnd() || null,
    lastName: name.slice(space + 1) || null,
  }
}

const namePart = (part: 'firstName' | 'lastName'): Converter => ({
  from: 'fullName',
  to: `names.${part}`,
  read: (fullName) => splitName(String(fullName))[part],
})

const addressRules = {
  address1: blankAsNull('streetLine1'),
  address2: blankAsNull('streetLine2'),
  city: blankAsNull('city'),
  countryCode: blankAsNull('countryCode'),
  firstName: namePart('firstName'),
  lastName: namePart('lastName'),
  phone: blankAsNull('phoneNumber'),
  region: blankAsNull('province'),
  postalCode: blankAsNull('postalCode'),
}

/**
 * The full name with some changed parts.
 * @throws WriteRejection if splitting it would not return the same names
 */
const joinName = (fullName: unknown, changes: Values, path: string): string => {
  const names = { ...splitName(String(fullName ?? '')), ...changes }
  const [firstName, lastName] = [names.firstName || null, names.lastName || null]
  const joined = [firstName, lastName].filter(Boolean).join(' ')
  const split = splitName(joined)
  if (isDeepStrictEqual(split, { firstName, lastName })) return joined
  throw new WriteRejection(
    `Vendure stores one full name, whose last word is the last name; send ${JSON.stringify(split)}`,
    `${path}.${split.lastName === lastName ? 'firstName' : 'lastName'}`,
  )
}

/** An address. `to` is its name in `modifyOrder`. */
export const address = (from: string, to: string): Converter =>
  onlyChanges({
    ...notNull(objectOf(from, addressRules)),
    to,
    // A missing address is null or an object of nulls (NOTES "an unset value is null or empty").
    read: (raw) => (Object.values(valuesOf(raw)).some(Boolean) ? raw : null),
    write: (value, { path, stored }) => {
      // Safe: the nested rules return an object.
      const { names, ...parts } = value as JsonObject
      const present = valuesOf(stored?.[from])
      if (parts.countryCode === null && present.countryCode)
        throw new WriteRejection('Vendure cannot clear the country', `${path}.countryCode`)
      if (names === undefined) return parts
      return { ...parts, fullName: joinName(present.fullName, valuesOf(names), path) }
    },
  })

const line = {
  productId: readOnly('productVariant.productId'),
  variantId: required('productVariant.id'),
  // The current name: Vendure does not store the name at the time of the order.
  title: readOnly('productVariant.name'),
  price: readOnly(amount('unitPriceWithTax')),
  unitCost: null, // Vendure has none
  currency: readOnly(ofRecord('currencyCode')),
  sku: readOnly(blankAsNull('productVariant.sku')),
  quantity: required(atLeast(0, 'quantity')),
}

/**
 * The lines. A write names all of them; quantity 0 removes one. Leaving a line out is an error, so that a caller who
 * sends one line does not lose the others.
 */
const allLines = listOf('lines', line, {
  matchBy: [['productVariant.id']],
  remove: (left, path) => {
    if (left.quantity === 0) return left
    throw new WriteRejection(
      `the line of ${textsAt(left, 'productVariant.name')} is missing; send quantity 0 to remove a line`,
      path,
    )
  },
})

/** The lines, as `modifyOrder` takes them: those that change, and those to add. */
export const lines: Converter = {
  ...allLines,
  apply: (value, context) => {
    const { path, put, stored } = context
    const written = writeValue(allLines, undefined, value ?? [], context)
    const variants = textsAt(written, 'productVariant.id')
    const { entries, added } = writtenEntries(written, stored?.lines, path)
    const adjusted = changedEntries(entries, ({ quantity = null }) => ({ quantity })).map(
      ({ id = null, quantity = null }) => ({ orderLineId: id, quantity }),
    )
    const items = added.flatMap(({ entry: { quantity = null, ...entry }, path }) => {
      const [productVariantId = ''] = textsAt(entry, 'productVariant.id')
      if (variants.filter((other) => other === productVariantId).length > 1)
        throw new WriteRejection(
          'the order already has a line of this variant',
          `${path}.variantId`,
        )
      return quantity === 0 ? [] : [{ productVariantId, quantity }]
    })
    if (adjusted.length > 0) put('adjustOrderLines', adjusted, path)
    if (items.length > 0) put('addItems', items, path)
    return undefined
  },
  sets: ['lines', 'adjustOrderLines', 'addItems'],
}
