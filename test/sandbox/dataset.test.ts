/** The initial records of sandbox companies: reproducible, complete and consistent. */
import { describe, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { sum, units } from '../../src/sandbox/amounts.ts'
import type { DatasetSeed } from '../../src/sandbox/company/history.ts'
import { createDataset } from '../../src/sandbox/company/history.ts'
import { readFields } from '../../src/sandbox/kinds/kind.ts'
import {
  type KindName,
  kinds,
  kindNames as names,
  referencesIn,
  type SandboxRecord,
} from '../../src/sandbox/kinds/kinds.ts'
import { balanceSign } from '../../src/sandbox/ledger.ts'
import { fulfillmentStatusOf } from '../../src/sandbox/shipping.ts'
import type { SandboxRow } from '../../src/store/sandbox/sandbox-records.ts'

const origin: DatasetSeed = { tenant: 'acme', seed: 1, start: '2026-03-02T00:10:00.000Z' }
const origins: readonly DatasetSeed[] = [
  origin,
  { ...origin, seed: 2 },
  { ...origin, tenant: 'globex-europe', start: '2025-12-31T23:59:59.999Z' },
]

const allOf = <K extends KindName>(
  records: readonly SandboxRow[],
  kind: K,
): readonly SandboxRecord<K>[] =>
  records.filter((record): record is SandboxRecord<K> => record.kind === kind)

/** The write that would produce the record as it is. */
const givenOf = ({ kind, fields }: SandboxRecord): Record<string, unknown> =>
  Object.fromEntries(
    Object.keys(kinds[kind].fields.shape).map((name) => [name, Object(fields)[name]]),
  )

test('the same tenant, seed and start give the same bytes', async () => {
  const [first, second] = [await createDataset(origin), await createDataset({ ...origin })]
  expect(JSON.stringify(first)).toBe(JSON.stringify(second))
})

const datasets = await Promise.all(
  origins.map(async (each) => ({ ...each, ...(await createDataset(each)) })),
)

test('another tenant or another seed gives another company', () => {
  const [first, ...others] = datasets.map(({ records }) => JSON.stringify(records))
  for (const other of others) expect(other).not.toBe(first)
})

describe.each(datasets)('the records of $tenant, seed $seed', ({ records, numbers, start }) => {
  const byId = new Map(records.map((record) => [record.id, record]))

  test('cover every resource, with enough records of each for several pages', () => {
    expect(names.map((kind) => kinds[kind].topic).sort()).toEqual(
      catalogue.resources.map(({ topic }) => topic).sort(),
    )
    for (const kind of names) {
      const count = allOf(records, kind).length
      expect(count, kind).toBeGreaterThanOrEqual(kind === 'companies' ? 1 : 5)
      expect(count, kind).toBeLessThanOrEqual(100)
    }
  })

  test('have unique ids, and the next free number is known', () => {
    expect(byId.size).toBe(records.length)
    for (const { id, kind } of records) {
      const [prefix = '', number] = id.split('_')
      expect(prefix).toBe(kinds[kind].prefix)
      expect(Number(number)).toBeLessThanOrEqual(numbers[prefix] ?? 0)
    }
  })

  test('are valid writes', () => {
    for (const record of records)
      expect(() => readFields(kinds[record.kind], givenOf(record)), record.id).not.toThrow()
  })

  test('refer only to earlier records', () => {
    let references = 0
    for (const record of records)
      for (const { kind, id, path } of referencesIn(record.kind, givenOf(record))) {
        const target = byId.get(id)
        references++
        expect(target?.kind, `${record.id} ${path}`).toBe(kind)
        expect((target?.created ?? '') <= record.created, `${record.id} ${path} ${id}`).toBe(true)
      }
    expect(references).toBeGreaterThan(1000)
  })

  test('are dated before the start, and changed after they were created', () => {
    for (const { id, created, modified } of records) {
      expect(created <= modified, id).toBe(true)
      expect(modified <= start, id).toBe(true)
    }
  })

  test('order items and shipments name variants of the product next to them', () => {
    const items = [...allOf(records, 'orders'), ...allOf(records, 'shipments')].flatMap(
      ({ fields }) => fields.lineItems as readonly { productId: string; variantId: string }[],
    )
    expect(items.length).toBeGreaterThan(100)
    for (const { productId, variantId } of items) {
      const { variants } = (byId.get(productId) as SandboxRecord<'products'>).fields
      expect(variants.map(({ id }) => id)).toContain(variantId)
    }
  })

  test('lines add up to totals, with discount and tax', () => {
    for (const { id, fields } of [...allOf(records, 'invoices'), ...allOf(records, 'bills')]) {
      const sumOfLines = (name: 'totalAmount' | 'discount' | 'taxAmount' | 'totalLineAmount') =>
        sum(fields.lineItems.map((line) => units(line[name])))
      expect(sumOfLines('totalAmount'), id).toBe(units(fields.subTotal))
      expect(sumOfLines('discount'), id).toBe(units(fields.totalDiscount))
      expect(sumOfLines('taxAmount'), id).toBe(units(fields.totalTaxAmount))
      expect(sumOfLines('totalLineAmount'), id).toBe(units(fields.totalAmount))
      expect(sumOfLines('totalAmount') - sumOfLines('discount') + sumOfLines('taxAmount'), id).toBe(
        units(fields.totalAmount),
      )
      for (const line of fields.lineItems)
        expect(units(line.totalAmount), id).toBe(Math.round(units(line.unitPrice) * line.quantity))
    }
    for (const { id, fields } of allOf(records, 'purchase_orders'))
      expect(sum(fields.lineItems.map((line) => units(line.totalLineAmount))), id).toBe(
        units(fields.totalAmount),
      )
    for (const { id, fields } of allOf(records, 'orders')) {
      const lines = sum(fields.lineItems.map((line) => units(line.price) * line.quantity))
      const charged = lines - units(fields.totalDiscount) + units(fields.totalShipping)
      expect(charged + units(fields.totalTax), id).toBe(units(fields.totalPrice))
    }
  })

  test('payments add up to the paid amount of each document', () => {
    const payments = allOf(records, 'payments')
    const documents = [...allOf(records, 'invoices'), ...allOf(records, 'bills')]
    for (const { id, fields } of documents) {
      const own = payments.filter((each) => (each.fields.invoice ?? each.fields.bill) === id)
      const paid = sum(own.map(({ fields: { totalAmount } }) => units(totalAmount)))
      expect(units(fields.totalAmount) - paid, id).toBe(units(fields.balance))
      expect(fields.state === 'paid', id).toBe(paid > 0 && units(fields.balance) === 0)
      expect(fields.paidOnDate !== null, id).toBe(fields.state === 'paid')
    }
    expect(new Set(documents.map(({ fields }) => fields.state))).toEqual(
      new Set(['draft', 'open', 'part_paid', 'paid']),
    )
  })

  test('the ledger balances', () => {
    const accounts = allOf(records, 'ledger_accounts').map(({ fields }) => fields)
    const debit = accounts.map(
      ({ classification, currentBalance }) => balanceSign(classification) * units(currentBalance),
    )
    expect(sum(debit)).toBe(0)
    expect(debit.filter((value) => value !== 0).length).toBeGreaterThan(20)
  })

  test('an order shows how much of it is shipped', () => {
    const shipments = allOf(records, 'shipments')
    const orders = allOf(records, 'orders')
    for (const { id, fields } of orders)
      expect(fields.fulfillmentStatus, id).toBe(
        fulfillmentStatusOf(
          fields.lineItems,
          shipments
            .filter((shipment) => shipment.fields.orderId === id)
            .flatMap((shipment) => shipment.fields.lineItems),
        ),
      )
  })
})

test('the companies have orders that are not, partly and completely shipped', () => {
  const orders = datasets.flatMap(({ records }) => allOf(records, 'orders'))
  expect(new Set(orders.map(({ fields }) => fields.fulfillmentStatus)).size).toBe(3)
})
