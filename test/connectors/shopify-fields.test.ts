/** Every field of Shopify that the connector reads or writes, against a shop in memory. */
import { expect, test } from 'vitest'
import { shopifyCases } from './shopify/cases.ts'
import { openScene, unchanged } from './shopify/scene.ts'

test.each(shopifyCases)('$name', async ({ run, expected }) => {
  const scene = openScene(unchanged)
  expect(await run(scene, unchanged)).toEqual(expected)
  scene.simulator.assertSound()
})
