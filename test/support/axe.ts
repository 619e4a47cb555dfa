/** Accessibility violations that axe finds in a page or a frame. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Frame, Page } from 'playwright-core'

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly html: string }[]
}

/**
 * Runs axe with all of its rules on a page or a frame, but not on nested frames.
 * @returns one line for each violation: the rule and the elements
 */
export const findViolations = async (frame: Page | Frame): Promise<readonly string[]> => {
  await frame.evaluate(SOURCE)
  const { violations } = await frame.evaluate<{ violations: Violation[] }>(
    `axe.run({ resultTypes: ['violations'], iframes: false })`,
  )
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`,
  )
}
