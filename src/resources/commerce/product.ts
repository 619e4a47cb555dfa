import {
  decimal,
  defineShape,
  integer,
  list,
  number,
  object,
  reference,
  text,
  texts,
} from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'

const optionValue = defineShape({
  name: 'ProductOptionValue',
  doc: 'What a variant is in one of the respects that variants of the product differ in.',
  fields: {
    name: text('The respect, such as colour.'),
    value: text('The choice, such as red.'),
  },
})

const variantInventory = defineShape({
  name: 'ProductVariantInventory',
  doc: 'The stock of a variant.',
  fields: {
    totalCount: integer('Units in stock, all locations together.'),
  },
})

const variantWeight = defineShape({
  name: 'ProductVariantWeight',
  doc: 'The weight of one unit of a variant.',
  fields: {
    value: number('The weight, in its unit.'),
    unit: text('Unit of the weight, as the app writes it.'),
  },
})

const productVariant = defineShape({
  name: 'ProductVariant',
  doc: 'One version of a product that can be bought.',
  fields: {
    // The variant's own id, so that line items can refer to it before its product has arrived.
    id: reference('commerce/products.variants', 'Identifier assigned by the service.'),
    remoteId: text('Identifier in the app.'),
    title: text('Name of the variant.'),
    price: decimal('Price of one unit.'),
    sku: text('Stock keeping unit.'),
    optionValues: list(optionValue, 'What sets the variant apart from its siblings.'),
    inventory: object(variantInventory, 'Stock of the variant.'),
    weight: object(variantWeight, 'Weight of one unit.'),
  },
})

export const product = defineResource({
  name: 'product',
  plural: 'products',
  category: 'commerce',
  doc: 'Something the shop sells, in one or more variants.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    productName: text('Name of the product.'),
    description: text('Description of the product, perhaps with markup.'),
    productType: text('Kind of product, as the app sorts it.'),
    productStatus: text("Whether the product is on sale, in the app's own words."),
    images: texts('Web addresses of pictures of the product.'),
    tags: texts('Words the product is found by.'),
    vendor: text('Name of the maker or supplier.'),
    productUrl: text("Web address of the product's page in the shop."),
    variants: list(productVariant, 'Versions of the product.'),
  },
})
