import { WriteRefusal } from '../../../definition/connector.ts'
import { defineMapping } from '../../../definition/mapping.ts'
import { product } from '../../../resources/commerce/product.ts'
import { collection } from '../collection.ts'
import { type Conversion, convert, filled, listed, money, quantity, word } from '../conversion.ts'
import { as } from '../inverse.ts'
import { list, objectAt, told } from '../nested.ts'
import { history } from '../shared.ts'

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

/** The one number of an object. @throws WriteRefusal if it is not there: it would empty the field unasked */
const inside = (name: string, by: Conversion): Conversion => ({
  tell: (value, path, draft) => {
    const { [name]: number } = objectAt(value, path)
    const place = `${path}.${name}`
    if (number === undefined) throw new WriteRefusal('The number is missing.', place)
    return convert(by, number, place, draft)
  },
  ...(by.empty !== undefined && { empty: by.empty }),
})

const stock = inside('totalCount', filled(quantity))

const grams = inside('value', quantity)

const weight: Conversion = {
  ...grams,
  tell: (value, path, draft) => {
    const { unit = null } = objectAt(value, path)
    if (unit !== null && unit !== 'g')
      throw new WriteRefusal('The sandbox weighs in g.', `${path}.unit`)
    return grams.tell(value, path, draft)
  },
}

// A variant that is given without its id is the one of that stock keeping unit, or of that name.
const variants = list(
  {
    id: 'id',
    remoteId: 'id',
    title: 'label',
    price: told('price', money),
    sku: 'sku',
    optionValues: told('options', list({ name: 'option', value: 'choice' })),
    inventory: told('stock', stock),
    weight: told('weight_grams', weight),
  },
  { in: 'variants', by: [['id'], ['sku'], ['label']] },
)

const mapping = defineMapping<typeof product, Raw>(product, {
  ...history,
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
  productName: as('name', filled()),
  description: 'description_html',
  productType: 'category',
  productStatus: as('state', filled(word(['live', 'draft', 'retired']))),
  images: as('pictures', listed),
  tags: as('labels', listed),
  vendor: 'brand',
  productUrl: 'page',
  variants: as('variants', filled(variants)),
})
