/** The mapping language: each form of a rule reads an app's record and writes a request body. */
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/definition/connector.ts'
import {
  blankAsNull,
  createOnly,
  enumeration,
  flag,
  listOf,
  notNull,
  objectOf,
  ofRecord,
  orElse,
  readOnly,
  required,
  states,
  updateOnly,
  writtenTo,
} from '../../src/definition/mapping/converters.ts'
import { decimal } from '../../src/definition/mapping/decimal.ts'
import type { JsonObject, WriteVerb } from '../../src/definition/mapping/rule.ts'
import { unifiedField } from '../../src/definition/mapping/unified-field.ts'
import { buildBody, writableFields } from '../../src/definition/mapping/write.ts'
import { createMapper, defineMapping } from '../../src/definition/mapping.ts'
import { bill } from '../../src/resources/accounting/bill.ts'
import { driveSteps } from '../support/steps.ts'

const line = {
  description: 'Detail.Text',
  unitPrice: decimal('Price', { as: 'number' }),
  quantity: 'Qty',
  totalAmount: readOnly('Amount'),
  currency: ofRecord('Currency.value'),
  exchangeRate: null, // the app has no such field
  accountingItemId: null,
  accountId: 'Account.value',
  trackingCategoryIds: null,
  companyId: () => 'company',
}

const record = { remoteId: 'Id', remoteCreatedAt: null, remoteUpdatedAt: null, remoteDeleted: null }

const rules = {
  ...record,
  vendorId: required('Vendor.value'),
  billNumber: createOnly('Number'),
  billStatus: flag('Paid', 'paid', 'open'),
  billState: states('State', { settled: 'PAID', toString: 'VOID' }),
  issueDate: notNull('Issued'),
  dueDate: updateOnly('Due'),
  paidOnDate: null,
  memo: blankAsNull('Memo.text'),
  companyId: enumeration('Company', { a: 'first', b: 'second' }),
  currency: 'Currency.value',
  exchangeRate: orElse('Rate', 1),
  subTotal: () => 1,
  totalDiscount: readOnly('Discount'),
  totalTaxAmount: writtenTo('StatedTax', 'Tax'),
  totalAmount: readOnly('Total'),
  balance: readOnly('Balance'),
  trackingCategoryIds: 'Classes',
  lineItems: listOf('Line', line, { matchBy: [['Qty']] }),
  purchaseOrderIds: null,
}

const mapping = defineMapping(bill, rules)

const write = (
  fields: Readonly<Record<string, Json>>,
  {
    verb = 'update',
    remoteFields = {},
    stored = {},
  }: Partial<{
    verb: WriteVerb
    remoteFields: Readonly<Record<string, Json>>
    stored: Readonly<Record<string, unknown>>
  }> = {},
): Promise<unknown> =>
  driveSteps(buildBody(mapping, { fields, remoteFields }, { app: 'The app', verb, stored }), () => {
    throw new Error('No request is expected.')
  })

const raw = {
  Id: 7,
  Vendor: { value: 'v', name: 'Quay' },
  Paid: true,
  Memo: { text: '' },
  Currency: { value: 'EUR' },
  Tax: '2.5',
  Line: [{ Detail: { Text: 'Desk' }, Price: 3, Qty: 2, Amount: 6, Account: { value: 'a' } }],
  Custom: { text: 'x' },
}

test('each rule reads its value; a nested rule can read the enclosing record', () => {
  const { row, problems } = createMapper(mapping)(raw, 'credential')
  expect(problems).toEqual([])
  expect(row).toMatchObject({
    billStatus: 'paid',
    memo: null,
    currency: 'EUR',
    totalTaxAmount: '2.5',
  })
  expect(row.lineItems).toMatchObject([{ description: 'Desk', currency: 'EUR', totalAmount: 6 }])
})

test('remoteFields leave out only the values that unified fields show unchanged', () => {
  const { remoteFields } = createMapper(mapping)(raw, 'credential').row
  const { Id: _, Currency: __, Tax: ___, ...rest } = raw
  expect(remoteFields).toEqual(rest)
  const partly = { ...raw, Currency: { value: 'EUR', name: 'Euro' } }
  expect(createMapper(mapping)(partly, 'credential').row.remoteFields).toMatchObject({
    Currency: { name: 'Euro' },
  })
})

test.each<[string, JsonObject, JsonObject]>([
  [
    'with other values',
    { value: 'Shirt', id: 't1', more: { a: 1, b: null } },
    { id: 't1', more: { b: null } },
  ],
  ['with only these values', { value: 'Shirt', more: { a: 1 } }, {}],
  ['with an empty object', { value: 'Shirt', more: { a: 1 }, empty: {} }, { empty: {} }],
])(
  'a path takes one value out of an object %s, and a write puts it back',
  async (_name, Type, rest) => {
    const nested = defineMapping(bill, { ...rules, memo: 'Type.value', billNumber: 'Type.more.a' })
    const { row } = createMapper(nested)({ Id: 7, Type }, 'credential')
    const remoteFields = Object.keys(rest).length > 0 ? { Type: rest } : {}
    expect(row.remoteFields).toEqual(remoteFields)
    const input = { fields: { memo: 'Shirt', billNumber: 1 }, remoteFields }
    const body = buildBody(nested, input, { app: 'The app', verb: 'update' })
    expect(
      await driveSteps(body, () => {
        throw new Error('No request is expected.')
      }),
    ).toEqual({ Type })
  },
)

test('a write sets the paths that the rules read, and a list keeps what the caller omits', async () => {
  const fields = {
    vendorId: 'v',
    billStatus: 'open',
    memo: null,
    companyId: 'SECOND',
    exchangeRate: null,
    totalTaxAmount: '3',
    trackingCategoryIds: null,
    lineItems: [{ description: 'Chair', unitPrice: '1.50', quantity: 2, currency: 'EUR' }],
  }
  const stored = {
    Line: [
      { Id: '1', Qty: 2 },
      { Id: '2', Qty: 3 },
    ],
  }
  expect(await write(fields, { stored, remoteFields: { Currency: { name: 'Euro' } } })).toEqual({
    Vendor: { value: 'v' },
    Paid: false,
    Memo: { text: null },
    Company: 'b',
    Rate: 1,
    StatedTax: '3',
    Classes: [],
    Currency: { value: 'EUR', name: 'Euro' },
    Line: [{ Id: '1', Detail: { Text: 'Chair' }, Price: 1.5, Qty: 2 }],
  })
})

test.each<[string, Readonly<Record<string, Json>>, string, WriteVerb?]>([
  ['null where the app needs a value', { issueDate: null }, 'issueDate'],
  ['a create without a required field', { memo: 'x' }, 'vendorId', 'create'],
  ['an empty required field', { vendorId: '' }, 'vendorId'],
  ['an unknown word', { companyId: 'third' }, 'companyId'],
  ['a field that is only read', { balance: '1' }, 'balance'],
  [
    'a nested field that is only read',
    { lineItems: [{ totalAmount: 1 }] },
    'lineItems[0].totalAmount',
  ],
  [
    'two values for one field of the record',
    { currency: 'EUR', lineItems: [{ quantity: 1 }, { currency: 'USD' }] },
    'lineItems[1].currency',
  ],
])('rejects %s', async (_title, fields, field, verb = 'update') => {
  await expect(write(fields, { verb })).rejects.toMatchObject({ name: 'WriteRejection', field })
})

test.each<[string, Readonly<Record<string, Json>>, string, WriteVerb]>([
  ['a missing value is invalid', { memo: 'x' }, 'INVALID_PARAMETER', 'create'],
  ['null for a required value is invalid', { vendorId: null }, 'INVALID_PARAMETER', 'update'],
  [
    'null where the app needs a value is invalid',
    { issueDate: null },
    'INVALID_PARAMETER',
    'update',
  ],
  ['a field that is only read is not supported', { balance: '1' }, 'FIELD_NOT_SUPPORTED', 'update'],
])('%s', async (_title, fields, code, verb) => {
  await expect(write(fields, { verb })).rejects.toMatchObject({ code })
})

test('rejects a remote field that a unified field sets, and takes any name as a name', async () => {
  await expect(
    write({ currency: 'EUR' }, { remoteFields: { Currency: { value: 'USD' } } }),
  ).rejects.toMatchObject({ field: 'remoteFields.Currency.value' })
  const remoteFields = JSON.parse('{ "__proto__": { "x": 1 } }') as Readonly<Record<string, Json>>
  expect(Object.keys(Object(await write({}, { remoteFields })))).toEqual(['__proto__'])
})

test.each([
  ['settled', 'PAID'],
  ['toString', 'VOID'],
  ['Settled', null],
  ['constructor', null],
  [7, null],
  [undefined, null],
])("the app's state %j maps to %j and stays in remoteFields", (State, state) => {
  const { row, problems } = createMapper(mapping)({ Id: 7, State }, 'credential')
  expect(row.billState).toBe(state)
  expect(problems).toEqual([])
  expect(Object(row.remoteFields).State).toBe(State)
})

test('the writable fields follow from the rules', () => {
  const both = [
    'vendorId',
    'billStatus',
    'issueDate',
    'memo',
    'companyId',
    'currency',
    'exchangeRate',
  ]
  const parts = ['description', 'unitPrice', 'quantity', 'currency', 'accountId']
  const common = [
    ...both,
    'totalTaxAmount',
    'trackingCategoryIds',
    ...parts.map((part) => `lineItems.${part}`),
  ]
  expect(writableFields(mapping, 'create').toSorted()).toEqual([...common, 'billNumber'].toSorted())
  expect(writableFields(mapping, 'update').toSorted()).toEqual([...common, 'dueDate'].toSorted())
})

test.each([
  ['Vendor.value', 'vendorId'],
  ['StatedTax', 'totalTaxAmount'],
  ['Classes.1', 'trackingCategoryIds.1'],
  ['Line[0].Qty', 'lineItems'],
  ['Balance', 'balance'],
  ['Vendor', undefined],
  ['Linear', undefined],
])('an error about the app’s field %s names the field %s', (appField, field) => {
  expect(unifiedField(mapping, appField)).toBe(field)
})

describe('a nested mapping', () => {
  const { quantity: _, ...incomplete } = line
  test('must have a rule for every field', () => {
    expect(() => defineMapping(bill, { ...rules, lineItems: listOf('Line', incomplete) })).toThrow(
      'no rule for accounting/bills.lineItems.quantity',
    )
  })

  test('must have no others', () => {
    const lineItems = objectOf('Line', { ...line, colour: 'Colour' })
    expect(() => defineMapping(bill, { ...rules, lineItems })).toThrow('lineItems.colour')
  })
})
