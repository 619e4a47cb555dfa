import { enumeration, number, reference, text } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'

export const item = defineResource({
  name: 'item',
  plural: 'items',
  category: 'accounting',
  doc: 'A good or service the company buys or sells.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    itemName: text('Name of the item.', { required: true }),
    itemStatus: enumeration('Standing of the item.', ['ACTIVE', 'ARCHIVED']),
    itemType: enumeration('Whether the item is a service or a good, and whether stock is kept.', [
      'SERVICE',
      'NON_INVENTORY',
      'INVENTORY',
    ]),
    unitPrice: number('Price at which one unit is sold.'),
    purchasePrice: number('Price at which one unit is bought.'),
    qtyOnHand: number('Units in stock.'),
    billAccountId: reference('accounting/accounts', 'Account that purchases of the item post to.'),
    invoiceAccountId: reference('accounting/accounts', 'Account that sales of the item post to.'),
    assetAccountId: reference('accounting/accounts', "Account that holds the stock's value."),
    companyId: reference('accounting/companyInfo', 'Company the item belongs to.'),
  },
})
