/** Products and services. */
import { createOnly, flag, required } from '../../definition/mapping/converters.ts'
import type { Converter } from '../../definition/mapping/rule.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { item } from '../../resources/accounting/item.ts'
import type { Entity } from './entity.ts'
import { amount, common, referenceTo, words } from './fields.ts'
import { collection } from './writer.ts'

/** The unified types. Other types, such as bundles, have no unified one. */
const TYPES = { Service: 'SERVICE', NonInventory: 'NON_INVENTORY', Inventory: 'INVENTORY' }

const typeWords = words('Type', TYPES)

/** The type. An item with stock has it in two fields, `Type` and `TrackQtyOnHand`. */
const itemType: Converter = createOnly({
  ...typeWords,
  apply: (value, context) => {
    const type = value === null ? null : (typeWords.write?.(value, context) ?? null)
    context.put('Type', type, context.path)
    if (type === 'Inventory') context.put('TrackQtyOnHand', true, context.path)
    return undefined
  },
  sets: ['Type', 'TrackQtyOnHand'],
})

// NOTES "items": categories only group items.
export const ITEM: Entity = {
  name: 'Item',
  hasActive: true,
  requires: ['Name'],
  isListed: ({ Type }) => Type !== 'Category',
}

export const items = collection(
  defineMapping(item, {
    ...common,
    itemName: required('Name'),
    itemStatus: flag('Active', 'ACTIVE', 'ARCHIVED'),
    itemType,
    unitPrice: amount('UnitPrice'),
    purchasePrice: amount('PurchaseCost'),
    // Later, the stock changes by transactions only (NOTES "items").
    qtyOnHand: createOnly(amount('QtyOnHand')),
    billAccountId: referenceTo('ExpenseAccountRef'),
    invoiceAccountId: referenceTo('IncomeAccountRef'),
    assetAccountId: referenceTo('AssetAccountRef'),
  }),
  ITEM,
)
