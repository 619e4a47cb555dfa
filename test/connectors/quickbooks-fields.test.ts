/** Every field of QuickBooks that the connector reads or writes, against a company in memory. */
import { expect, test } from 'vitest'
import { quickBooksCases } from './quickbooks/cases.ts'
import { openHarness, unchanged } from './quickbooks/harness.ts'

test.each(quickBooksCases)('reads or writes every field: $name', async ({ run, expected }) => {
  const harness = openHarness(unchanged)
  expect(await run(harness, unchanged)).toEqual(expected)
  harness.simulator.assertSound()
})
