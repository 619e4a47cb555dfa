/** Planned operations return what the resolvers return. `test/long` compares 20,000. */
import { beforeAll, expect, test } from 'vitest'
import { type Comparison, compareOperations } from '../support/planned-operations.ts'

const OPERATIONS = 300

let comparison: Comparison
beforeAll(async () => {
  comparison = await compareOperations(1, OPERATIONS)
})

test('random operations have equal data, in equal order, and equal errors by plans and by resolvers', () => {
  const { planned, resolved, linked } = comparison
  expect(planned).toBeGreaterThan(OPERATIONS * 0.9)
  expect(linked).toBeGreaterThan(OPERATIONS * 0.4)
  // Few operations have wrong arguments or a root field without a plan.
  expect(resolved).toBeGreaterThan(0)
  expect(resolved).toBeLessThan(planned * 0.3)
})

test('some statements join the records of a page', () => {
  const { statements } = comparison
  const joined = statements.filter((statement) => statement.includes("string_agg(t.line, ',')"))
  expect(joined.length).toBeGreaterThan(5)
})

test('every statement of a plan reads only rows of the credentials of the request', () => {
  expect(comparison.statements.length).toBeGreaterThan(100)
  let linkedFilters = 0
  for (const statement of comparison.statements) {
    // The tables of records; `l0`, `l1`, … are levels of the statement itself.
    const sources =
      statement.match(/(?:FROM|JOIN) [a-z]+_[a-z_]+ [a-z]\b[^\n]*(?:\n[^\n]*)?/g) ?? []
    expect(sources.length, statement).toBeGreaterThan(0)
    for (const [, level] of statement.matchAll(/(?:FROM|JOIN) (\S+) k\b/g))
      expect(level, statement).toMatch(/^l\d{1,2}$/)
    for (const source of sources) {
      const alias = / [a-z]+_[a-z_]+ ([a-z])\b/.exec(source)?.[1]
      expect(source, statement).toMatch(
        // A parameter, or the credential of another row, such as `k` of the level above.
        new RegExp(
          `WHERE ${alias}\\.credential_id = (?:ANY\\()?(?:\\?|\\$|c\\.id|(?!${alias})[a-z]\\.credential_id)`,
        ),
      )
    }
    // Filters of linked records, whose rows are `t1`, `t2`, …
    for (const [, alias, condition] of statement.matchAll(
      /FROM \w{1,60} (t\d) WHERE (\S{1,60} = \S{1,60})/g,
    )) {
      linkedFilters += 1
      expect(condition, statement).toMatch(
        new RegExp(`^${alias}\\.credential_id = t\\d?\\.credential_id$`),
      )
    }
  }
  expect(linkedFilters).toBeGreaterThan(5)
})
