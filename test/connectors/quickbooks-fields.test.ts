/** Every field of QuickBooks that the connector reads or writes, against a company in memory. */
import { expect, test } from 'vitest'
import { quickBooksCases } from './quickbooks/cases.ts'
import { openScene, unchanged } from './quickbooks/scene.ts'

test.each(quickBooksCases)('$name', async ({ run, expected }) => {
  const scene = openScene(unchanged)
  expect(await run(scene, unchanged)).toEqual(expected)
  scene.simulator.assertSound()
})
