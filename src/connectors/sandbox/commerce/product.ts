import { WriteRefusal } from '../../../definition/connector.ts'
import { defineMapping } from '../../../definition/mapping.ts'
import { product } from '../../../resources/commerce/product.ts'
import { collection } from '../collection.ts'
import {
  type Conversion,
  convert,
  enumeration,
  money,
  quantity,
  required,
  sameList,
} from '../conversion.ts'
import { as } from '../inverse.ts'
import { list, objectAt, part } from '../nested.ts'
import { recordFields } from '../shared.ts'

interface Raw {
  readonly variants: readonly {
    readonly id: string
    readonly label: string
    readonly sku: string | null
    readonly price: string
    readonly options: readonly { readonly option: string; readonly choice: string }[]
    readonly stock: number
    readonly weight_grams: number | null
  }[]
}

/** Converts an object with one number. @throws WriteRefusal if the number is missing, which would empty the field */
const numberIn = (name: string, by: Conversion): Conversion => ({
  toApp: (value, path, draft) => {
    const { [name]: number } = objectAt(value, path)
    const numberPath = `${path}.${name}`
    if (number === undefined) throw new WriteRefusal('Expected a number.', numberPath)
    return convert(by, number, numberPath, draft)
  },
  ...(by.empty !== undefined && { empty: by.empty }),
})

const stock = numberIn('totalCount', required(quantity))

const grams = numberIn('value', quantity)

const weight: Conversion = {
  ...grams,
  toApp: (value, path, draft) => {
    const { unit = null } = objectAt(value, path)
    if (unit !== null && unit !== 'g')
      throw new WriteRefusal('The sandbox stores weights in grams. Use the unit g.', `${path}.unit`)
    return grams.toApp(value, path, draft)
  },
}

// A variant without an id matches by SKU, then by name.
const variants = list(
  {
    id: 'id',
    remoteId: 'id',
    title: 'label',
    price: part('price', money),
    sku: 'sku',
    optionValues: part('options', list({ name: 'option', value: 'choice' })),
    inventory: part('stock', stock),
    weight: part('weight_grams', weight),
  },
  { in: 'variants', by: [['id'], ['sku'], ['label']] },
)

const mapping = defineMapping<typeof product, Raw>(product, {
  ...recordFields,
  productName: 'name',
  description: 'description_html',
  productType: 'category',
  productStatus: 'state',
  images: 'pictures',
  tags: 'labels',
  vendor: 'brand',
  productUrl: 'page',
  variants: ({ variants }) =>
    variants.map((raw) => ({
      id: raw.id,
      remoteId: raw.id,
      title: raw.label,
      price: raw.price,
      sku: raw.sku,
      optionValues: raw.options.map(({ option, choice }) => ({ name: option, value: choice })),
      inventory: { totalCount: raw.stock },
      weight: raw.weight_grams === null ? null : { value: raw.weight_grams, unit: 'g' },
    })),
})

/** `/v1/products` */
export default collection('products', mapping, {
  productName: as('name', required()),
  description: 'description_html',
  productType: 'category',
  productStatus: as('state', required(enumeration(['live', 'draft', 'retired']))),
  images: as('pictures', sameList),
  tags: as('labels', sameList),
  vendor: 'brand',
  productUrl: 'page',
  variants: as('variants', required(variants)),
})
