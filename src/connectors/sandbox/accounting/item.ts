import { enumeration, notNull } from '../../../definition/mapping/converters.ts'
import { item } from '../../../resources/accounting/item.ts'
import { collection } from '../collection.ts'
import { money, quantity } from '../formats.ts'
import { status } from '../shared.ts'

const nature = enumeration('nature', {
  service: 'SERVICE',
  goods: 'NON_INVENTORY',
  stocked_goods: 'INVENTORY',
})

/** `/v1/catalog_items` */
export default collection('catalog_items', item, {
  itemName: notNull('name'),
  itemStatus: notNull(status),
  itemType: notNull(nature),
  unitPrice: money('sale_price'),
  purchasePrice: money('purchase_price'),
  qtyOnHand: quantity('stock'),
  billAccountId: 'purchase_account',
  invoiceAccountId: 'sales_account',
  assetAccountId: 'stock_account',
  companyId: notNull('company'),
})
