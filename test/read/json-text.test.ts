/** The parts of JSON text that are found without parsing equal those that JSON.parse finds. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createObjectReader, readEntries, readValue } from '../../src/query/json-text.ts'
import { createMemberFinder } from '../../src/query/record-members.ts'

/** Texts that look like the JSON around them. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('"', '\\', ',', ':', '{', '}', '[', ']', 'a', ' ') }),
  fc.constantFrom(',"b":', '","c":', '\\","b":1', '}],"c":['),
)
const scalar = fc.oneof(text, fc.double({ noNaN: true }), fc.boolean(), fc.constant(null))
const nested = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), text), tie('value'), {
      maxKeys: 3,
    }),
  ),
})).value

/** The JSON as JavaScript writes it, or with the spaces of PostgreSQL's jsonb. */
const write = (value: unknown, spaced: boolean): string => {
  const [comma, colon] = spaced ? [', ', ': '] : [',', ':']
  if (Array.isArray(value)) return `[${value.map((entry) => write(entry, spaced)).join(comma)}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => JSON.stringify(name) + colon + write(member, spaced),
  )
  return `{${members.join(comma)}}`
}

test('readEntries finds each entry of a list', () => {
  fc.assert(
    fc.property(fc.array(nested), fc.boolean(), (entries, spaced) => {
      const reader = { text: write(entries, spaced), at: 0 }
      const texts: string[] = []
      readEntries(reader, () => texts.push(readValue(reader)))
      expect(texts.map((entry) => JSON.parse(entry))).toEqual(JSON.parse(JSON.stringify(entries)))
      expect(reader.at).toBe(reader.text.length)
    }),
  )
})

test('an object reader finds the values of objects by name, in any order', () => {
  const keys = new Map([
    ['c', 'of c'],
    ['missing', 'of missing'],
    ['a', 'of a'],
  ])
  const object = fc.dictionary(fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), text), nested)
  fc.assert(
    fc.property(fc.array(object), fc.boolean(), (objects, spaced) => {
      // One reader for all: it remembers the order of the members that it has seen.
      const read = createObjectReader(keys)
      for (const value of objects) {
        const reader = { text: write(value, spaced), at: 0 }
        const found: [string | undefined, unknown][] = []
        read(reader, (key) => found.push([key, JSON.parse(readValue(reader))]))
        const expected = Object.entries(value).map(([name, member]) => [
          keys.get(name),
          JSON.parse(JSON.stringify(member)),
        ])
        expect(found).toEqual(expected)
        expect(reader.at).toBe(reader.text.length)
      }
    }),
  )
})

test('a member finder finds the requested members of a record, whichever they are', () => {
  const names = ['id', 'a', 'b', 'c', 'd', 'e']
  const member = fc
    .boolean()
    .chain((isNested) =>
      fc.record({ isNested: fc.constant(isNested), value: isNested ? nested : scalar }),
    )
  fc.assert(
    fc.property(
      fc.tuple(...names.map(() => member)),
      fc.uniqueArray(fc.nat({ max: names.length - 1 })),
      fc.boolean(),
      (values, wanted, spaced) => {
        const texts = values.map(({ value }) => write(value, spaced))
        const record = `{${names.map((name, index) => `"${name}":${texts[index]}`).join(',')}}`
        const members = names.map((name, index) => ({
          name,
          isNested: values[index]?.isNested ?? false,
        }))
        const places = new Set(wanted.flatMap((index) => [index, index + 1]))
        const found = createMemberFinder(members, places)(record)
        for (const index of wanted) {
          const shown = record.slice(found[index], (found[index + 1] ?? 0) - 1)
          expect(shown).toBe(`"${names[index]}":${texts[index]}`)
        }
      },
    ),
    { numRuns: 1000 },
  )
})
