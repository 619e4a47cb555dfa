/**
 * Every filter of every resource rejects values of another kind and names the filter, over REST and GraphQL: the first
 * filter of a kind with an operator rejects each of them, the others two.
 */
import { describe, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { filterParameters } from '../../src/query/filter.ts'
import { expectError, readError } from '../support/expected-error.ts'
import { CREDENTIAL, shareServiceWithRecords } from '../support/service-with-records.ts'

const harness = shareServiceWithRecords()
const { rest, graph } = harness

const TOPICS = catalogue.resources.map((resource) => [resource.topic, resource] as const)
const HALF = '\ud800'
const LONG = 'x'.repeat(1001)

/** Chooses the values for a filter: all of them for the first filter of its kind and operator, then two by two. */
const createChoice = () => {
  const counts = new Map<string, number>()
  return <Value>(name: string, values: readonly Value[]): readonly Value[] => {
    const count = counts.get(name) ?? 0
    counts.set(name, count + 1)
    if (count === 0) return values
    return [0, 1].flatMap((offset) =>
      values.slice((2 * count + offset) % values.length).slice(0, 1),
    )
  }
}

describe('a value of the wrong form is rejected, with the name,', () => {
  const times = [
    '',
    'yesterday',
    '2024-02-30',
    '2023-02-29',
    '2024-13-01',
    '2024-00-10',
    '0000-01-01',
    '10000-01-01',
    '-000001-01-01',
    '2024-1-1',
    '20240101',
    '1704067200',
    '2024-01-01 00:00:00',
    '2024-01-01T25:00:00Z',
    '2024-01-01T00:60:00Z',
    '2024-01-01T00:00:60Z',
    '2024-01-01T00:00:00',
    '2024-01-01T00:00:00+99:00',
    '2024-01-01T00:00:00.000Z; DROP TABLE x',
    '2024-01-01%00',
    'infinity',
    'now',
    'epoch',
  ]
  const numbers = [
    '',
    'x',
    '1e',
    'e5',
    '1e1000',
    '1e1.5',
    '0x10',
    '1,5',
    '1.',
    '.5',
    '--1',
    '+1',
    '1_000',
    'NaN',
    'Infinity',
  ]
  const badTexts: Readonly<Record<string, readonly string[]>> = {
    text: [LONG, 'a%00b', '%00'],
    integer: [
      ...numbers,
      '1e5',
      '1.5',
      '99999999999',
      '2147483648',
      '-2147483648',
      ' 1',
      '٣',
      '1%00',
    ],
    number: [...numbers, ' 1', '٣', '9'.repeat(31), '1%00'],
    decimal: [...numbers, ' 1', '٣', '9'.repeat(31), '1%00'],
    boolean: ['', '1', 'yes', 'TRUE', 'null', 'true%00'],
    timestamp: times,
    date: times,
    enumeration: ['', 'NOPE', 'ACTIVE ', LONG, '%00'],
    reference: ['', LONG, '%00'],
  }
  const badValues: Readonly<Record<string, readonly unknown[]>> = {
    text: [LONG, 'a\0b', HALF, 5, true, ['x', 'y'], {}],
    integer: ['1', 1.5, 2_147_483_648, true, [1, 2], {}],
    number: ['1', true, [1, 2], {}],
    decimal: ['1', true, [1, 2], {}],
    boolean: ['true', 1, 0, [true, false], {}],
    timestamp: [...times.filter((text) => !text.includes('%')), 5, true, {}, '2024-01-01\0', HALF],
    date: [...times.filter((text) => !text.includes('%')), 5, true, {}, '2024-01-01\0', HALF],
    enumeration: ['', 'NOPE', 5, true, {}, HALF],
    reference: ['', LONG, '\0', HALF, 1.5, true, {}],
  }

  const chooseText = createChoice()
  test.each(TOPICS)('in every filter of %s', async (_topic, resource) => {
    for (const { name, definition, operator } of filterParameters(resource).values()) {
      const kind = operator === 'isNull' ? 'boolean' : definition.kind.name
      const input = (badTexts[kind] ?? []).filter(
        // Two whole numbers.
        (text) => operator !== 'in' || text !== '1,5',
      )
      if (kind === 'date' && operator === 'equals') input.push('2024-01-01T00:00:00.000Z')
      const chosen = chooseText(`${kind} ${operator}`, input)
      expect(chosen.length).toBeGreaterThan(1)
      for (const value of chosen) {
        const written = value.includes('%00') ? value : encodeURIComponent(value)
        for (const path of [resource.restPath, `${resource.restPath}/count`])
          expectError(
            await rest(`${path}?credentialId=${CREDENTIAL}&${name}=${written}`),
            { code: 'INVALID_PARAMETER', field: name },
            `${name}=${value}`,
          )
      }
    }
  })

  const chooseValue = createChoice()
  test.each(TOPICS)('in every field of the GraphQL filter of %s', async (_topic, resource) => {
    const query = `query ($filter: ${resource.typeName}Filter) {
      ${resource.listField}(credentialId: "${CREDENTIAL}", filter: $filter) { nodes { id } }
    }`
    for (const { name, definition, operator } of filterParameters(resource).values()) {
      const kind = operator === 'isNull' ? 'boolean' : definition.kind.name
      const chosen = chooseValue(`${kind} ${operator}`, [null, ...(badValues[kind] ?? [])])
      expect(chosen.length).toBeGreaterThan(1)
      for (const value of chosen) {
        const isList = operator === 'in' && value !== null
        const response = await graph(query, { filter: { [name]: isList ? [value] : value } })
        const { code } = readError(response, `${name}: ${JSON.stringify(value)}`)
        expect(['INVALID_PARAMETER', 'BAD_REQUEST']).toContain(code)
        expectError(response, { code, field: name }, JSON.stringify(value))
      }
    }
  })
})
