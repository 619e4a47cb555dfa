import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** `npm run test:package`: apart from `npm test`, since it builds, and installs from the registry. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['test/package/*.check.ts'],
    globalSetup: ['test/support/global-setup.ts', 'test/package/install.ts'],
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
