import { defineMapping } from '../../../definition/mapping.ts'
import { item } from '../../../resources/accounting/item.ts'
import { collection } from '../collection.ts'
import { enumeration, money, quantity, required } from '../conversion.ts'
import { as } from '../inverse.ts'
import { readEnum, recordFields, statuses } from '../shared.ts'

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
  ...recordFields,
  itemName: 'name',
  itemStatus: readEnum('state', statuses),
  itemType: readEnum('nature', natures),
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
  itemName: as('name', required()),
  itemStatus: as('state', required(enumeration(statuses))),
  itemType: as('nature', required(enumeration(natures))),
  unitPrice: as('sale_price', money),
  purchasePrice: as('purchase_price', money),
  qtyOnHand: as('stock', quantity),
  billAccountId: 'purchase_account',
  invoiceAccountId: 'sales_account',
  assetAccountId: 'stock_account',
  companyId: as('company', required()),
})
