/** The rules of products. */
import { type Json, WriteRejection } from '../../definition/connector.ts'
import { enumeration, listOf, notNull } from '../../definition/mapping/converters.ts'
import type { Converter, ConverterContext } from '../../definition/mapping/rule.ts'
import { objectAt, writeValue } from '../../definition/mapping/write.ts'
import { money, quantity } from './formats.ts'

/** An object with one number. @throws WriteRejection if the number is missing, which would empty the field */
const numberIn = (name: string, source: Converter) => ({
  ...source,
  read: (value: unknown) => ({ [name]: value }),
  write: (value: Json, context: ConverterContext) => {
    const number = objectAt(value, context.path)[name]
    const path = `${context.path}.${name}`
    if (number === undefined) throw new WriteRejection('Expected a number.', path)
    return writeValue(source, undefined, number, { ...context, path })
  },
})

const grams = numberIn('value', quantity('weight_grams'))

const weight: Converter = {
  ...grams,
  read: (value) => ({ value, unit: 'g' }),
  write: (value, context) => {
    const { unit = null } = objectAt(value, context.path)
    if (unit !== null && unit !== 'g')
      throw new WriteRejection(
        'The sandbox stores weights in grams. Use the unit g.',
        `${context.path}.unit`,
      )
    return grams.write(value, context)
  },
}

const variant = {
  id: 'id',
  remoteId: 'id',
  title: 'label',
  price: money('price'),
  sku: 'sku',
  optionValues: listOf('options', { name: 'option', value: 'choice' }),
  inventory: numberIn('totalCount', notNull(quantity('stock'))),
  weight,
}

/** The rules of the fields. */
export const productRules = {
  productName: notNull('name'),
  description: 'description_html',
  productType: 'category',
  productStatus: notNull(enumeration('state', ['live', 'draft', 'retired'])),
  images: 'pictures',
  tags: 'labels',
  vendor: 'brand',
  productUrl: 'page',
  // A variant without an id matches by SKU, then by name.
  variants: notNull(listOf('variants', variant, { matchBy: [['id'], ['sku'], ['label']] })),
}
