import { defineMapping } from '../../../definition/mapping.ts'
import { product } from '../../../resources/commerce/product.ts'
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

/** `/v1/products` */
export default defineMapping<typeof product, Raw>(product, {
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
