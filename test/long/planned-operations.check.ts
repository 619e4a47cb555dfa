/** Planned operations return what the resolvers return, for 20,000 operations. */
import { expect, test } from 'vitest'
import { compareOperations } from '../support/planned-operations.ts'

const FIRST_SEED = 1_000_001
const OPERATIONS = 20_000

test('random operations have equal data, in equal order, and equal errors by plans and by resolvers', async () => {
  const { planned } = await compareOperations(FIRST_SEED, FIRST_SEED + OPERATIONS - 1)
  expect(planned).toBeGreaterThan(OPERATIONS * 0.9)
})
