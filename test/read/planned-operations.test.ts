/** Planned operations return what the resolvers return. `test/long` compares 20,000. */
import { beforeAll, expect, test } from 'vitest'
import { type Comparison, compareOperations } from '../support/planned-operations.ts'

const OPERATIONS = 1200

let comparison: Comparison
beforeAll(async () => {
  comparison = await compareOperations(1, OPERATIONS)
})

test('random operations have equal data, in equal order, by plans and by resolvers', () => {
  const { planned, failed } = comparison
  // Most have no links, and few have wrong arguments.
  expect(planned).toBeGreaterThan(OPERATIONS * 0.6)
  expect(failed).toBeGreaterThan(0)
  expect(failed).toBeLessThan(planned * 0.2)
})

test('every statement of a plan reads only rows of the credentials of the request', () => {
  expect(comparison.statements.length).toBeGreaterThan(100)
  for (const statement of comparison.statements) {
    const tables = statement.match(/(?:FROM|JOIN) [a-z]+_[a-z_]+ [a-z]\b/g) ?? []
    expect(tables.length, statement).toBeGreaterThan(0)
    for (const table of tables) {
      const alias = table.at(-1)
      expect(statement, table).toMatch(
        new RegExp(`\\b${alias}\\.credential_id = (?:\\?|ANY\\(|\\$|[a-z]\\.)`),
      )
    }
  }
})
