import { enumeration, number, reference, text } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'

export const item = defineResource({
  name: 'item',
  plural: 'items',
  category: 'accounting',
  doc: 'A product or service that the company buys or sells.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    itemName: text('Name of the item.', { required: true }),
    itemStatus: enumeration('Status of the item.', {
      ACTIVE: 'It is in use.',
      ARCHIVED: 'It is not in use; its history remains.',
    }),
    itemType: enumeration('Whether the item is a service, a good, or a good with tracked stock.', {
      SERVICE: 'A service.',
      NON_INVENTORY: 'A good whose stock is not tracked.',
      INVENTORY: 'A good whose stock is tracked.',
    }),
    unitPrice: number('Selling price of one unit.'),
    purchasePrice: number('Purchase price of one unit.'),
    qtyOnHand: number('Units in stock.'),
    billAccountId: reference(
      'accounting/accounts',
      'Account to which purchases of the item are posted.',
    ),
    invoiceAccountId: reference(
      'accounting/accounts',
      'Account to which sales of the item are posted.',
    ),
    assetAccountId: reference(
      'accounting/accounts',
      'Account to which the value of the stock is posted.',
    ),
    companyId: reference('accounting/companyInfo', 'Company the item belongs to.'),
  },
})
