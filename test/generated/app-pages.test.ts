/** The generated pages of the apps: what a rule reads, and what a report may claim. */

import { expect, test } from 'vitest'
import { sourceOf } from '../../codegen/field-sources.ts'
import { replaceSection } from '../../codegen/sections.ts'
import { states } from '../../src/definition/mapping/converters.ts'
import { listByType } from '../../src/definition/mapping/list-by-type.ts'

test.each([
  ['a path', 'Bill.Total', ['Bill.Total'], false],
  ['a converter', states('status', { open: 'OPEN' }), ['status'], false],
  [
    'a fallback',
    (raw: Record<string, never>) => Object(raw.Of).Part ?? raw.Name,
    ['Of.Part', 'Name'],
    false,
  ],
  [
    'a branch that only an amount reaches',
    ({ Total, Note }: Record<string, never>) => (String(Total) === '0' ? Object(Note).Text : null),
    ['Total', 'Note.Text'],
    false,
  ],
  [
    'a branch that only a missing value reaches',
    ({ State, Total, Note }: Record<string, never>) => State ?? (String(Total) === '0' && Note),
    ['State', 'Total', 'Note'],
    false,
  ],
  [
    'a path, a second value and the account',
    {
      from: 'Day',
      read: (value: unknown, record: unknown, context: unknown) =>
        value && [Object(record).Status, Object(context).timeZone],
    },
    ['Day', 'Status'],
    true,
  ],
  ['the account', (_: never, __: never, context: unknown) => Object(context).currency, [], true],
  ['entries by type', listByType('type', { HOME: { city: 'Home.City' } }), ['Home.City'], false],
])('a rule reads %s', (_name, rule, paths, readsAccount) => {
  expect(sourceOf(rule)).toEqual({ paths, readsAccount })
})

test('a field that the app lacks has no source', () => {
  expect(sourceOf(null)).toBeUndefined()
})

test('a section is replaced as a whole, again and again', () => {
  const page = 'a\n<!-- begin generated: x -->\nold\n<!-- end generated: x -->\nb\n'
  const once = replaceSection(page, 'x', 'new')
  expect(once).toBe('a\n<!-- begin generated: x -->\n\nnew\n\n<!-- end generated: x -->\nb\n')
  expect(replaceSection(once, 'x', 'new')).toBe(once)
  expect(() => replaceSection(page, 'y', 'new')).toThrow('no generated section y')
})
