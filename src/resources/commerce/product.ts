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
  doc: 'One option of a variant, such as its colour.',
  fields: {
    name: text('Name of the option, such as colour.'),
    value: text('Value of the option, such as red.'),
  },
})

const variantInventory = defineShape({
  name: 'ProductVariantInventory',
  doc: 'The stock of a variant.',
  fields: {
    totalCount: integer('Units in stock at all locations together.'),
  },
})

const variantWeight = defineShape({
  name: 'ProductVariantWeight',
  doc: 'The weight of one unit of a variant.',
  fields: {
    value: number('Weight as a number, without its unit.'),
    unit: text('Unit of the weight, as the app names it.'),
  },
})

const productVariant = defineShape({
  name: 'ProductVariant',
  doc: 'One version of a product that can be bought.',
  fields: {
    // A computed id, so that line items can reference a variant before its product is synced.
    id: reference('commerce/products.variants', "The variant's id in Trunkline."),
    remoteId: text("The variant's id in the app."),
    title: text('Name of the variant.'),
    price: decimal('Price of one unit.'),
    sku: text('Stock keeping unit.'),
    optionValues: list(optionValue, 'Options that distinguish the variant from the others.'),
    inventory: object(variantInventory, 'Stock of the variant.'),
    weight: object(variantWeight, 'Weight of one unit.'),
  },
})

export const product = defineResource({
  name: 'product',
  plural: 'products',
  category: 'commerce',
  doc: 'A product that the shop sells, in one or more variants.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    productName: text('Name of the product.'),
    description: text('Description of the product, which may contain HTML.'),
    productType: text('Type of the product, as the app names it.'),
    productStatus: text('Sales status of the product, as the app names it.'),
    images: texts('URLs of images of the product.'),
    tags: texts('Tags of the product.'),
    vendor: text('Name of the manufacturer or supplier.'),
    productUrl: text("URL of the product's page in the shop."),
    variants: list(productVariant, 'Variants of the product.'),
  },
})
