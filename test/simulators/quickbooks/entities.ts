/** Facts about each entity that only the documentation contains: operations, required fields, feeds. */

export type Operation = 'create' | 'update' | 'delete' | 'void'

export interface Entity {
  readonly name: string
  /** The path segment: `/v3/company/{realmId}/{segment}`. */
  readonly segment: string
  /** `name`: an entry of a list, which is made inactive; `transaction`: a document, which is deleted. */
  readonly kind: 'name' | 'transaction' | 'setting'
  readonly operations: readonly Operation[]
  /** The fields that a create needs, each as alternatives. */
  readonly required: readonly (readonly string[])[]
  /** Whether `/cdc` reports it. */
  readonly hasChanges: boolean
  /** The operations that webhooks report. */
  readonly webhooks: readonly string[]
}

const name = (
  entity: string,
  required: Entity['required'],
  rest: Partial<Entity> = {},
): Entity => ({
  name: entity,
  segment: entity.toLowerCase(),
  kind: 'name',
  operations: ['create', 'update'],
  required,
  hasChanges: true,
  webhooks: ['created', 'updated', 'deleted'],
  ...rest,
})

const transaction = (
  entity: string,
  required: Entity['required'],
  rest: Partial<Entity> = {},
): Entity => ({
  ...name(entity, required),
  kind: 'transaction',
  operations: ['create', 'update', 'delete'],
  ...rest,
})

const PERSON_NAMES = ['DisplayName', 'Title', 'GivenName', 'MiddleName', 'FamilyName', 'Suffix']
const MERGEABLE = { webhooks: ['created', 'updated', 'deleted', 'merged'] } as const
const VOIDABLE = {
  operations: ['create', 'update', 'delete', 'void'],
  webhooks: ['created', 'updated', 'deleted', 'voided'],
} as const

const list: readonly Entity[] = [
  name('Account', [['Name'], ['AccountType', 'AccountSubType']]),
  name('Customer', [PERSON_NAMES], MERGEABLE),
  name('Vendor', [PERSON_NAMES], MERGEABLE),
  name(
    'Item',
    [['Name'], ['Type'], ['IncomeAccountRef', 'ExpenseAccountRef', 'ItemGroupDetail']],
    MERGEABLE,
  ),
  name('Class', [['Name']]),
  name('Department', [['Name']]),
  name('TaxRate', [], { operations: [], hasChanges: false, webhooks: [] }),
  name('TaxCode', [], { operations: [], hasChanges: false, webhooks: [] }),
  transaction('Invoice', [['CustomerRef'], ['Line']], VOIDABLE),
  transaction('Bill', [['VendorRef'], ['Line']]),
  transaction('Payment', [['CustomerRef'], ['TotalAmt']], VOIDABLE),
  transaction('BillPayment', [['VendorRef'], ['PayType'], ['TotalAmt'], ['Line']], VOIDABLE),
  transaction('PurchaseOrder', [['VendorRef'], ['Line']]),
  name('CompanyInfo', [], { kind: 'setting', operations: ['update'], webhooks: [] }),
]

export const entities: ReadonlyMap<string, Entity> = new Map(
  list.map((entity) => [entity.name, entity]),
)

/** @throws if the simulator does not have this entity */
export const entityNamed = (entityName: string): Entity => {
  const entity = entities.get(entityName)
  if (!entity) throw new Error(`There is no entity ${entityName}`)
  return entity
}
