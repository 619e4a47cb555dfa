import { defineMapping } from '../../../definition/mapping.ts'
import { item } from '../../../resources/accounting/item.ts'
import { collection } from '../collection.ts'
import { filled, money, quantity, word } from '../conversion.ts'
import { as } from '../inverse.ts'
import { history, oneOf, standing } from '../shared.ts'

interface Raw {
  readonly state: string
  readonly nature: string
}

const natures = {
  service: 'SERVICE',
  goods: 'NON_INVENTORY',
  stocked_goods: 'INVENTORY',
} as const

const mapping = defineMapping<typeof item, Raw>(item, {
  ...history,
  itemName: 'name',
  itemStatus: oneOf('state', standing),
  itemType: oneOf('nature', natures),
  unitPrice: 'sale_price',
  purchasePrice: 'purchase_price',
  qtyOnHand: 'stock',
  billAccountId: 'purchase_account',
  invoiceAccountId: 'sales_account',
  assetAccountId: 'stock_account',
  companyId: 'company',
})

/** `/v1/catalog_items` */
export default collection('catalog_items', mapping, {
  itemName: as('name', filled()),
  itemStatus: as('state', filled(word(standing))),
  itemType: as('nature', filled(word(natures))),
  unitPrice: as('sale_price', money),
  purchasePrice: as('purchase_price', money),
  qtyOnHand: as('stock', quantity),
  billAccountId: 'purchase_account',
  invoiceAccountId: 'sales_account',
  assetAccountId: 'stock_account',
  companyId: as('company', filled()),
})
