/** The readers of raw values. */

import { expect, test } from 'vitest'
import { recordsAt } from '../../src/definition/mapping/body-writer.ts'
import {
  entriesOf,
  latestOf,
  requiredNumber,
  requiredText,
  sumAt,
  textsAt,
  valuesAt,
  valuesOf,
  withSortedLists,
  withTextsAt,
} from '../../src/definition/raw-values.ts'

const order = {
  id: 'o1',
  updatedAt: '2026-01-02T00:00:00.000Z',
  customer: null,
  lines: [
    { product: { id: 'p2' }, quantity: 2, tags: ['b', 'a'] },
    { product: { id: 'p1' }, quantity: 3, updatedAt: '2026-01-03T00:00:00.000Z' },
    { product: null, quantity: 1 },
  ],
}

test.each<[string, readonly unknown[]]>([
  ['id', ['o1']],
  ['lines.product.id', ['p2', 'p1']],
  ['lines.quantity', [2, 3, 1]],
  ['lines.tags', ['b', 'a']],
  ['customer', []],
  ['customer.id', []],
  ['nothing.at.all', []],
])('valuesAt reads each value at the path %s', (path, values) => {
  expect(valuesAt(order, path)).toEqual(values)
})

test('valuesAt reads the entries of a list, and nothing from a value that is no object or list', () => {
  expect(valuesAt(order.lines, 'product.id')).toEqual(['p2', 'p1'])
  for (const raw of [undefined, null, 'text', 5, []]) expect(valuesAt(raw, 'id')).toEqual([])
})

test('textsAt returns only texts; valuesOf and entriesOf treat other values as empty', () => {
  expect(textsAt(order, 'lines.quantity')).toEqual([])
  expect([valuesOf(null), valuesOf([1]), valuesOf('a')]).toEqual([{}, {}, {}])
  expect([entriesOf(null), entriesOf([1, { a: 1 }])]).toEqual([[], [{}, { a: 1 }]])
})

test('a required text or number that is missing is an error with its path', () => {
  expect(requiredText(order, 'lines.product.id')).toBe('p2')
  expect(requiredNumber(order, 'lines.quantity')).toBe(2)
  expect(() => requiredText(order, 'lines.quantity')).toThrow('no text at lines.quantity')
  expect(() => requiredNumber(order, 'customer.age')).toThrow('no number at customer.age')
})

test('changed texts, also in the entries of lists, leave everything else as it is', () => {
  const toUpperCase = (text: string) => text.toUpperCase()
  const changed = withTextsAt(order, 'lines.product.id', toUpperCase)
  expect(changed).toEqual({
    ...order,
    lines: [
      { ...order.lines[0], product: { id: 'P2' } },
      { ...order.lines[1], product: { id: 'P1' } },
      order.lines[2],
    ],
  })
  expect(withTextsAt(order, 'lines.quantity', toUpperCase)).toEqual(order)
})

test('sumAt adds the numbers at a path, and latestAt finds the latest of several times', () => {
  expect([sumAt(order, 'lines.quantity'), sumAt(order, 'lines.price')]).toEqual([6, 0])
  expect(latestOf('updatedAt')(order)).toBe('2026-01-03T00:00:00.000Z')
  expect(latestOf('nothing')(order)).toBeUndefined()
})

test('sorted lists, also of the entries of lists, leave everything else as it is', () => {
  const sorted = withSortedLists(order, { lines: ['product.id', 'quantity'], missing: ['id'] })
  expect(valuesAt(sorted, 'lines.quantity')).toEqual([1, 3, 2])
  expect({ ...sorted, lines: order.lines }).toEqual(order)
  const nested = { variants: [{ options: [{ name: 'b' }, { name: 'a' }] }, { options: null }] }
  expect(withSortedLists(nested, { 'variants.options': ['name'] })).toEqual({
    variants: [{ options: [{ name: 'a' }, { name: 'b' }] }, { options: null }],
  })
})

test('recordsAt names the records at the paths of a written record', () => {
  const paths = { 'commerce/products': 'lines.product.id', 'commerce/customers': 'customer.id' }
  expect(recordsAt(paths)(order)).toEqual([
    { topic: 'commerce/products', remoteId: 'p2' },
    { topic: 'commerce/products', remoteId: 'p1' },
  ])
})
