/** Access scopes, and which of them the types and mutations need. */

const subjects = [
  'orders',
  'customers',
  'products',
  'inventory',
  'locations',
  'fulfillments',
  'assigned_fulfillment_orders',
  'merchant_managed_fulfillment_orders',
  'third_party_fulfillment_orders',
]

export const scopes: readonly string[] = [
  ...subjects.flatMap((subject) => [`read_${subject}`, `write_${subject}`]),
  'read_all_orders',
]

const FULFILLMENT_ORDERS = [
  'assigned_fulfillment_orders',
  'merchant_managed_fulfillment_orders',
  'third_party_fulfillment_orders',
]

/** One of these subjects is needed to read a type, or a connection to it. */
const READ: Readonly<Record<string, readonly string[]>> = {
  Customer: ['customers'],
  DeletionEvent: ['products'],
  Fulfillment: ['fulfillments', 'orders', ...FULFILLMENT_ORDERS],
  FulfillmentOrder: FULFILLMENT_ORDERS,
  InventoryItem: ['inventory', 'products'],
  Order: ['orders'],
  Product: ['products'],
  ProductVariant: ['products'],
}

/** By the beginning of a mutation's name. */
const WRITE: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^customer/, ['customers']],
  [/^product/, ['products']],
  [/^order/, ['orders']],
  [/^fulfillment/, FULFILLMENT_ORDERS],
]

/** A scope to write includes that to read. */
const readScopes = (subject: string): readonly string[] => [`read_${subject}`, `write_${subject}`]

/** The scopes for a field that returns this type: a token needs one of them; undefined: none. */
export const scopesFor = (
  parentType: string,
  field: string,
  returnedType: string,
): readonly string[] | undefined => {
  if (parentType === 'Mutation')
    return WRITE.find(([name]) => name.test(field))?.[1].map((subject) => `write_${subject}`)
  if (field === 'locations' || field === 'location')
    return parentType === 'QueryRoot' ? readScopes('locations') : undefined
  return READ[returnedType.replace(/Connection$/, '')]?.flatMap(readScopes)
}
