/** Planned operations return what the resolvers return. `test/long` compares ten times as many. */
import { expect, test } from 'vitest'
import { compareOperations } from '../support/planned-operations.ts'

const OPERATIONS = 2000

test('random operations have equal data, in equal order, by plans and by resolvers', async () => {
  const { planned, failed } = await compareOperations(1, OPERATIONS)
  // Most have no links, and few have wrong arguments.
  expect(planned).toBeGreaterThan(OPERATIONS * 0.6)
  expect(failed).toBeGreaterThan(0)
  expect(failed).toBeLessThan(planned * 0.2)
})
