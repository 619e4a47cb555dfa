import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** `npm run test:long`: apart from `npm test`, since it starts many processes or simulates days. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['test/long/*.check.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 120_000,
    passWithNoTests: true,
  },
})
