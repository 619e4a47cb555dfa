/** The search in the list of apps. */
import { expect, test } from 'vitest'
import { matchesFilter } from '../../src/connect/window/app-filter.ts'

const app = {
  app: 'zurich',
  name: 'Zürich Ledger',
  description: 'Books for small shops.',
  type: 'apiKey' as const,
  categories: ['accounting'],
  fields: [],
  methods: [],
  resources: [],
  outboundAddress: null,
}
const nameOf = (category: string): string => (category === 'accounting' ? 'Buchhaltung' : category)

test.each([
  ['', '', true],
  ['   ', '', true],
  ['zurich', '', true],
  ['LEDGER zür', '', true],
  ['small', '', true],
  ['buchhaltung', '', true],
  ['ledger crm', '', false],
  ['', 'accounting', true],
  ['ledger', 'crm', false],
])('%j in the category %j: %s', (words, category, isFound) => {
  expect(matchesFilter(app, { words, category }, nameOf)).toBe(isFound)
})
