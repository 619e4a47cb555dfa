/** The parts of JSON text that are found without parsing equal those that JSON.parse finds. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listEntries, objectValues } from '../../src/query/json-text.ts'
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

test('the entries of a list', () => {
  fc.assert(
    fc.property(fc.array(nested), fc.boolean(), (entries, spaced) => {
      const texts = listEntries(write(entries, spaced))
      expect(texts.map((entry) => JSON.parse(entry))).toEqual(JSON.parse(JSON.stringify(entries)))
    }),
  )
})

test('the values of an object, by name', () => {
  const indexes = new Map([
    ['c', 0],
    ['missing', 1],
    ['a', 2],
  ])
  fc.assert(
    fc.property(fc.record({ a: nested, b: nested, c: nested }), fc.boolean(), (object, spaced) => {
      const [c, missing, a] = objectValues(write(object, spaced), indexes)
      expect(missing).toBeUndefined()
      expect([c, a]).toEqual([write(object.c, spaced), write(object.a, spaced)])
    }),
  )
})

test('the members of a record, whichever are wanted', () => {
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
