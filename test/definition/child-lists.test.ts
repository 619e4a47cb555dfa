/** Lists of children that one table reads and writes: the app takes the whole list in one body. */
import { describe, expect, test } from 'vitest'
import type { Json, Steps } from '../../src/definition/connector.ts'
import {
  atLeast,
  blankAsNull,
  fixed,
  keepEntry,
  listOf,
  notNull,
  objectOf,
  onlyChanges,
  orElse,
  requiredOfNew,
  updateOnly,
} from '../../src/definition/mapping/converters.ts'
import { listByType } from '../../src/definition/mapping/list-by-type.ts'
import type {
  Converter,
  JsonObject,
  ListOptions,
  NestedRules,
} from '../../src/definition/mapping/rule.ts'
import { unifiedField } from '../../src/definition/mapping/unified-field.ts'
import { buildBody, writableFields } from '../../src/definition/mapping/write.ts'
import { createMapper, defineMapping } from '../../src/definition/mapping.ts'
import { customer } from '../../src/resources/accounting/customer.ts'
import { product } from '../../src/resources/commerce/product.ts'
import { driveSteps } from '../support/steps.ts'

const record = { remoteId: 'Id', remoteCreatedAt: null, remoteUpdatedAt: null, remoteDeleted: null }

const variant = {
  id: updateOnly('id'),
  remoteId: updateOnly('id'),
  title: 'title',
  price: atLeast(0, 'sale.price'),
  sku: 'sku',
  optionValues: null,
  inventory: null,
  weight: objectOf('size', { value: 'weight', unit: 'unit' }),
}

const defineProductMapping = (options: ListOptions, rules: NestedRules = variant) =>
  defineMapping(product, {
    ...record,
    productName: null,
    description: null,
    productType: null,
    productStatus: null,
    images: null,
    tags: null,
    vendor: null,
    productUrl: null,
    variants: listOf('variants', rules, options),
  })

/** The variants of an app that lists a discount among them. */
const stored = {
  variants: [
    { id: '1', sku: 'A', sale: { price: 5, tax: 'T1' }, size: { weight: 1, unit: 'kg' } },
    { id: '2', sku: 'B', position: 2 },
    { id: '9', kind: 'discount' },
  ],
}
const isShown = ({ kind }: JsonObject): boolean => kind !== 'discount'

const bodyOfWrite = async (
  mapping: Parameters<typeof buildBody>[0],
  fields: Readonly<Record<string, Json>>,
  before: Readonly<Record<string, unknown>> | undefined = stored,
): Promise<JsonObject> => {
  const verb = before ? 'update' : 'create'
  const options = { app: 'The app', verb, ...(before && { stored: before }) } as const
  return driveSteps(buildBody(mapping, { fields, remoteFields: {} }, options), () => {
    throw new Error('No request is expected.')
  })
}

describe('a list of the record', () => {
  const mapping = defineProductMapping({ matchBy: [['id'], ['sku']], id: 'id', shows: isShown })

  test('shows only the entries that the field is about', () => {
    const { row } = createMapper(mapping)({ Id: 'p', ...stored }, 'credential')
    expect(row.variants).toMatchObject([{ remoteId: '1' }, { remoteId: '2' }])
  })

  test('keeps what the caller omits of an entry, also in nested objects, and the hidden entries', async () => {
    const variants = [
      { remoteId: '1', price: 7, weight: { value: 3 } },
      { sku: 'B', title: 'Second' },
      { sku: 'C', title: 'New' },
    ]
    expect(await bodyOfWrite(mapping, { variants })).toEqual({
      variants: [
        { id: '1', sku: 'A', sale: { price: 7, tax: 'T1' }, size: { weight: 3, unit: 'kg' } },
        { id: '2', sku: 'B', position: 2, title: 'Second' },
        { sku: 'C', title: 'New' },
        { id: '9', kind: 'discount' },
      ],
    })
  })

  test.each<[string, Json, Json]>([
    ['an empty list', [], []],
    ['null', null, []],
    ['a list with one entry', [{ sku: 'A' }], [stored.variants[0] ?? null]],
  ])('removes what %s omits by leaving it out', async (_name, variants, kept) => {
    const body = await bodyOfWrite(mapping, { variants })
    // Safe: a list of entries.
    expect(body.variants).toEqual([...(kept as readonly Json[]), stored.variants[2]])
  })

  test('names what it removes, if the app requires that', async () => {
    const removing = defineProductMapping({
      matchBy: [['id']],
      id: 'id',
      shows: isShown,
      remove: ({ id = null }) => ({ id, _destroy: true }),
    })
    const body = await bodyOfWrite(removing, { variants: [{ remoteId: '1' }] })
    expect(body.variants).toEqual([
      stored.variants[0],
      stored.variants[2],
      { id: '2', _destroy: true },
    ])
  })

  test.each<[string, readonly JsonObject[], string]>([
    ['an id that the record lacks', [{ sku: 'A' }, { remoteId: '3' }], 'variants[1]'],
    ['the id of a hidden entry', [{ remoteId: '9' }], 'variants[0]'],
    ['an id twice', [{ remoteId: '1' }, { remoteId: '1' }], 'variants[1]'],
  ])('rejects %s', async (_name, variants, field) => {
    await expect(bodyOfWrite(mapping, { variants })).rejects.toMatchObject({
      name: 'WriteRejection',
      field,
    })
  })

  test('is sent with its changes only, if the app takes those', async () => {
    const changes = defineProductMapping({
      matchBy: [['id'], ['sku']],
      id: 'id',
      changesOnly: true,
      remove: keepEntry('kind', 'a discount stays'),
    })
    const all = [
      { remoteId: '2', sku: 'B', title: null },
      { sku: 'A', price: 7, weight: { value: 1 } },
      { remoteId: '9', sku: 'D' },
      { sku: 'C' },
    ]
    expect(await bodyOfWrite(changes, { variants: all })).toEqual({
      variants: [{ id: '2' }, { id: '1', sale: { price: 7 } }, { id: '9', sku: 'D' }, { sku: 'C' }],
    })
    await expect(bodyOfWrite(changes, { variants: all.slice(0, 2) })).rejects.toThrow('discount')
    await expect(bodyOfWrite(changes, { variants: [{ remoteId: '3' }] })).rejects.toMatchObject({
      field: 'variants[0]',
    })
  })

  test('with its changes only has a value that a write may not have as a change', async () => {
    const changes = defineProductMapping({ matchBy: [['sku']], changesOnly: true })
    const cheap = { variants: [{ id: '1', sku: 'A', sale: { price: -5 } }] }
    const variants = [{ sku: 'A', price: 5 }]
    expect(await bodyOfWrite(changes, { variants }, cheap)).toEqual({
      variants: [{ id: '1', sale: { price: 5 } }],
    })
  })

  describe('whose entries are written in other ways', () => {
    const price: Converter = {
      from: 'price',
      apply: (value, { path, present, put, stored: whole }) => {
        put('price', value, path)
        put('was', (present?.price as number | undefined) ?? null, path)
        put('currency', String(whole?.currency), path)
        return undefined
      },
    }
    const rules = {
      ...variant,
      title: onlyChanges(notNull({ from: 'title', to: 'texts.title' })),
      price,
      sku: requiredOfNew(fixed('sku', 'Create another variant.', (sku) => String(sku).trim())),
    }
    const options: ListOptions = { matchBy: [['id']], id: 'id', changesOnly: true }
    const mapping = defineProductMapping(options, rules)
    const before = { currency: 'EUR', variants: [{ id: '1', title: 'One', price: 5, sku: 'A ' }] }

    test.each<[string, JsonObject, JsonObject]>([
      ['repeats', { remoteId: '1', title: 'One', sku: 'A' }, { id: '1' }],
      ['changes', { remoteId: '1', title: 'Two' }, { id: '1', texts: { title: 'Two' } }],
      [
        'depends on the stored one',
        { remoteId: '1', price: 7 },
        { id: '1', price: 7, was: 5, currency: 'EUR' },
      ],
      [
        'is new',
        { sku: 'B', title: null, price: 9 },
        { sku: 'B', price: 9, was: null, currency: 'EUR' },
      ],
    ])('sends an entry that %s', async (_name, entry, sent) => {
      expect(await bodyOfWrite(mapping, { variants: [entry] }, before)).toEqual({
        variants: [sent],
      })
    })

    test.each<[string, JsonObject, string, string]>([
      ['a changed fixed value', { remoteId: '1', sku: 'B' }, 'sku', 'Create another variant.'],
      [
        'a cleared value',
        { remoteId: '1', title: null },
        'title',
        'requires a value here, not null',
      ],
      ['a new entry without a required value', { title: 'New' }, 'sku', 'requires a value'],
    ])('rejects %s', async (_name, entry, field, reason) => {
      const write = bodyOfWrite(mapping, { variants: [entry] }, before)
      await expect(write).rejects.toMatchObject({
        field: `variants[0].${field}`,
        reason: expect.stringContaining(reason),
      })
    })

    test('may have the parts of an object as its own fields', async () => {
      const weight = objectOf('', { value: 'grams', unit: 'unit' })
      const variants = [{ remoteId: '1', weight: { value: 3, unit: 'g' } }]
      expect(
        await bodyOfWrite(
          defineProductMapping(options, { ...rules, weight }),
          { variants },
          before,
        ),
      ).toEqual({ variants: [{ id: '1', grams: 3, unit: 'g' }] })
    })

    test('rejects values for the same path', async () => {
      const clashing = defineProductMapping(options, { ...rules, sku: price })
      const variants = [{ sku: 1, price: 2 }]
      await expect(bodyOfWrite(clashing, { variants }, before)).rejects.toMatchObject({
        field: 'variants[0].price',
      })
    })

    test('cannot send requests', async () => {
      function* request(): Steps<void> {
        yield { method: 'GET', path: '/' }
      }
      const asking = defineProductMapping(options, {
        ...variant,
        sku: { from: 'sku', apply: request },
      })
      await expect(bodyOfWrite(asking, { variants: [{ sku: 'A' }] }, before)).rejects.toThrow(
        'variants[0].sku cannot send requests',
      )
    })
  })

  test('of a new record has new entries only', async () => {
    const variants = [{ sku: 'A', price: 1 }]
    const mapped = { variants: [{ sku: 'A', sale: { price: 1 } }] }
    const body = buildBody(
      mapping,
      { fields: { variants }, remoteFields: {} },
      { app: 'The app', verb: 'create' },
    )
    expect(body.next().value).toEqual(mapped)
  })
})

describe('a list by type', () => {
  const addressOf = (place: string): Readonly<Record<string, string | Converter>> => ({
    street1: `${place}.Line1`,
    city: blankAsNull(`${place}.City`),
    country: orElse(`${place}.Country`, 'SE'),
  })
  const mapping = defineMapping(customer, {
    ...record,
    customerName: null,
    customerStatus: null,
    taxNumber: null,
    currency: null,
    companyId: null,
    email: null,
    addresses: listByType('addressType', {
      BILLING: addressOf('BillAddr'),
      SHIPPING: addressOf('ShipAddr'),
    }),
    phoneNumbers: listByType('phoneNumberType', {
      PRIMARY: { phoneNumber: 'Phone' },
      FAX: { phoneNumber: 'Fax' },
    }),
  })

  test('shows an entry for each type that has a value', () => {
    const raw = { Id: 1, BillAddr: { Line1: 'Kaj 1', City: '' }, ShipAddr: { City: '' }, Fax: '7' }
    const { row, problems } = createMapper(mapping)(raw, 'credential')
    expect(problems).toEqual([])
    expect(row.addresses).toMatchObject([{ addressType: 'Billing', street1: 'Kaj 1', city: null }])
    expect(row.phoneNumbers).toMatchObject([{ phoneNumberType: 'Fax', phoneNumber: '7' }])
  })

  test('writes every type: what the list omits becomes null, or the value for null', async () => {
    const addresses = [{ addressType: 'SHIPPING', street1: 'Kaj 2', city: 'Oslo' }]
    expect(await bodyOfWrite(mapping, { addresses, phoneNumbers: null })).toEqual({
      BillAddr: { Line1: null, City: null, Country: 'SE' },
      ShipAddr: { Line1: 'Kaj 2', City: 'Oslo', Country: 'SE' },
      Phone: null,
      Fax: null,
    })
  })

  test.each<[string, readonly JsonObject[], string]>([
    ['another type', [{ addressType: 'HOME', street1: 'x' }], 'addresses[0].addressType'],
    [
      'two entries of a type',
      [{ addressType: 'BILLING' }, { addressType: 'Billing' }],
      'addresses[1]',
    ],
    ['another field', [{ addressType: 'BILLING', zipCode: '1' }], 'addresses[0].zipCode'],
  ])('rejects %s', async (_name, addresses, field) => {
    await expect(bodyOfWrite(mapping, { addresses })).rejects.toMatchObject({
      name: 'WriteRejection',
      field,
    })
  })

  test('is writable, and an error of the app about a part of it is about the list', () => {
    expect(writableFields(mapping, 'create')).toEqual(['addresses', 'phoneNumbers'])
    expect(unifiedField(mapping, 'ShipAddr.Line1')).toBe('addresses')
  })
})
