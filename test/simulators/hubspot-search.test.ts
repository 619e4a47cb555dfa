/** The HubSpot simulator: search, its cap and its index. */
import { describe, expect, test } from 'vitest'
import { errorOf, idsOf, NOON, openPortal } from './hubspot-client.ts'

const filterGroup = (propertyName: string, operator: string, rest: object = {}) => ({
  filters: [{ propertyName, operator, ...rest }],
})

/** Four companies: id order A, B, C, D. */
const openCompanies = () => {
  const opened = openPortal()
  const { portal, simulator } = opened
  const create = (properties: Record<string, string>) => {
    simulator.clock.advance(1000)
    return String(portal.create('companies', properties).id)
  }
  const ids = {
    a: create({ name: 'Alpha Books', numberofemployees: '9', industry: 'RETAIL' }),
    b: create({ name: 'beta', numberofemployees: '10', industry: 'BANKING' }),
    c: create({ name: 'Gamma Book', numberofemployees: '100' }),
    d: create({ name: 'Delta' }),
  }
  const search = (body: object) => opened.post('/objects/V/companies/search', body)
  const searchIds = async (body: object) => {
    const reply = await search(body)
    return reply.status === 200
      ? idsOf(reply)
          .map((id) => Object.entries(ids).find(([, known]) => known === id)?.[0])
          .join('')
      : `${reply.status}`
  }
  return { ...opened, ids, search, searchIds }
}

describe('a search', () => {
  test('compares by the type of the property', async () => {
    const { searchIds } = openCompanies()
    const cases: readonly (readonly [object, string])[] = [
      [filterGroup('numberofemployees', 'GT', { value: '9' }), 'bc'],
      [filterGroup('numberofemployees', 'LTE', { value: '10' }), 'ab'],
      [filterGroup('numberofemployees', 'BETWEEN', { value: '9', highValue: '50' }), 'ab'],
      [filterGroup('numberofemployees', 'NEQ', { value: '9' }), 'bc'],
      [filterGroup('name', 'EQ', { value: 'BETA' }), 'b'],
      [filterGroup('name', 'CONTAINS_TOKEN', { value: 'book*' }), 'ac'],
      [filterGroup('name', 'CONTAINS_TOKEN', { value: 'book' }), 'c'],
      [filterGroup('name', 'NOT_CONTAINS_TOKEN', { value: 'book*' }), 'bd'],
      [filterGroup('industry', 'IN', { values: ['RETAIL', 'BANKING'] }), 'ab'],
      [filterGroup('industry', 'NOT_IN', { values: ['RETAIL'] }), 'b'],
      [filterGroup('industry', 'HAS_PROPERTY'), 'ab'],
      [filterGroup('industry', 'NOT_HAS_PROPERTY'), 'cd'],
      [filterGroup('hs_lastmodifieddate', 'GTE', { value: String(NOON + 3000) }), 'cd'],
      [filterGroup('hs_lastmodifieddate', 'LT', { value: '2026-11-23T17:00:02.250Z' }), 'a'],
    ]
    for (const [group, expected] of cases)
      expect([group, await searchIds({ filterGroups: [group] })]).toEqual([group, expected])
  })

  test('joins filters of a group by AND, and groups by OR', async () => {
    const { searchIds } = openCompanies()
    const large = filterGroup('numberofemployees', 'GTE', { value: '10' })
    const banking = filterGroup('industry', 'EQ', { value: 'BANKING' })
    const both = { filters: [...large.filters, ...banking.filters] }
    expect(await searchIds({ filterGroups: [both] })).toBe('b')
    const delta = filterGroup('name', 'EQ', { value: 'delta' })
    expect(await searchIds({ filterGroups: [both, delta] })).toBe('bd')
    expect(await searchIds({ query: 'gam' })).toBe('c')
    expect(await searchIds({})).toBe('abcd')
  })

  test('sorts by one property; the order of equal values is undefined', async () => {
    const { searchIds } = openCompanies()
    const direction = 'DESCENDING'
    expect(await searchIds({ sorts: [{ propertyName: 'hs_object_id', direction }] })).toBe('dcba')
    expect(await searchIds({ sorts: ['-numberofemployees'] })).toBe('cbad')
    expect(await searchIds({ sorts: ['numberofemployees'] })).toBe('abcd')
    expect(await searchIds({ sorts: ['country'] })).toBe('dcba')
    expect(await searchIds({ sorts: ['name', 'domain'] })).toBe('400')
  })

  test.each<[string, object]>([
    ['a property that does not exist', { filterGroups: [filterGroup('nam', 'HAS_PROPERTY')] }],
    ['a missing value', { filterGroups: [filterGroup('name', 'EQ')] }],
    [
      'a value of a presence',
      { filterGroups: [filterGroup('name', 'HAS_PROPERTY', { value: '' })] },
    ],
    ['values of EQ', { filterGroups: [filterGroup('name', 'EQ', { values: ['a'] })] }],
    ['no upper value', { filterGroups: [filterGroup('name', 'BETWEEN', { value: 'a' })] }],
    ['a text for a time', { filterGroups: [filterGroup('createdate', 'GT', { value: 'today' })] }],
    ['an unknown operator', { filterGroups: [filterGroup('name', 'LIKE', { value: 'a' })] }],
    ['an empty group', { filterGroups: [{ filters: [] }] }],
    ['seven groups', { filterGroups: Array(7).fill(filterGroup('name', 'HAS_PROPERTY')) }],
    ['a page of 201', { limit: 201 }],
    ['a page of none', { limit: 0 }],
    ['a limit as text', { limit: '10' }],
    ['an offset as a number', { after: 10 }],
    ['a sort by an unknown property', { sorts: ['nam'] }],
    ['an unknown property', { properties: ['nam'] }],
    ['a misspelled field', { filtergroups: [] }],
  ])('is rejected for %s', async (_what, body) => {
    const { search, simulator } = openCompanies()
    expect(errorOf(await search(body))).toEqual([400, 'VALIDATION_ERROR'])
    simulator.assertSound()
  })

  test('finds the records that are associated with another', async () => {
    const { portal, ids, searchIds } = openCompanies()
    const link = { type: 'companies', id: ids.c, typeId: 279 }
    const { id } = portal.create('contacts', { lastname: 'A' }, [link])
    const group = filterGroup('associations.contact', 'EQ', { value: id })
    expect(await searchIds({ filterGroups: [group] })).toBe('c')
  })

  test('does not find archived records', async () => {
    const { portal, ids, searchIds } = openCompanies()
    portal.archive('companies', ids.b)
    expect(await searchIds({})).toBe('acd')
  })
})

test('pages end at 10,000 results, whatever the total is', async () => {
  const { portal, post } = openPortal()
  for (let count = 0; count < 10_001; count++)
    portal.create('notes', { hs_timestamp: '2026-11-23T10:00:00Z' })
  const page = (after: number, limit = 200) =>
    post('/objects/V/notes/search', { limit, after: String(after) })
  const last = await page(9800)
  expect([last.json.total, last.json.results.length]).toEqual([10_001, 200])
  expect(last.json.paging.next.after).toBe('10000')
  expect(errorOf(await page(10_000))).toEqual([400, 'VALIDATION_ERROR'])
  expect((await page(9900)).status).toBe(400)
  expect((await page(10_000, 1)).status).toBe(400)
  const filterAfterId = (id: string) => filterGroup('hs_object_id', 'GT', { value: id })
  const rest = await post('/objects/V/notes/search', {
    filterGroups: [filterAfterId(last.json.results.at(-1).id)],
    sorts: ['hs_object_id'],
  })
  expect([rest.json.total, rest.json.results.length]).toEqual([1, 1])
})

test('the index lags behind: changes, new and archived records show later', async () => {
  const { portal, post, simulator } = openPortal({ searchLagMs: 5000 })
  const listNames = async () => {
    const { json } = await post('/objects/V/companies/search', { properties: ['name'] })
    return json.results.map(
      (result: { readonly properties: { name: string } }) => result.properties.name,
    )
  }
  const { id } = portal.create('companies', { name: 'A' })
  expect(await listNames()).toEqual([])
  simulator.clock.advance(5000)
  expect(await listNames()).toEqual(['A'])
  portal.update('companies', String(id), { name: 'B' })
  simulator.clock.advance(4999)
  expect(await listNames()).toEqual(['A'])
  simulator.clock.advance(1)
  expect(await listNames()).toEqual(['B'])
  portal.archive('companies', String(id))
  expect(await listNames()).toEqual(['B'])
  simulator.clock.advance(5000)
  expect(await listNames()).toEqual([])
})

test('pages of a search shift when a record leaves it in between', async () => {
  const { portal, post } = openPortal()
  const ids = Array.from({ length: 4 }, (_, index) =>
    String(portal.create('companies', { name: `${index}` }).id),
  )
  const page = (after: string) => post('/objects/V/companies/search', { limit: 2, after })
  const first = await page('0')
  portal.archive('companies', ids[0] ?? '')
  expect(idsOf(first)).toEqual(ids.slice(0, 2))
  expect(idsOf(await page(first.json.paging.next.after))).toEqual(ids.slice(3))
})
