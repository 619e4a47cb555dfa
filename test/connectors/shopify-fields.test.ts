/** Every field of Shopify that the connector reads or writes, against a shop in memory. */
import { expect, test } from 'vitest'
import { shopifyCases } from './shopify/cases.ts'
import { openHarness, unchanged } from './shopify/harness.ts'

test.each(shopifyCases)('reads or writes every field: $name', async ({ run, expected }) => {
  const harness = openHarness(unchanged)
  expect(await run(harness, unchanged)).toEqual(expected)
  harness.simulator.assertSound()
})
