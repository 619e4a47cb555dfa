import { defineMapping } from '../../../definition/mapping.ts'
import { item } from '../../../resources/accounting/item.ts'
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

/** `/v1/catalog_items` */
export default defineMapping<typeof item, Raw>(item, {
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
