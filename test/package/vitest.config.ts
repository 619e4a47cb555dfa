import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/**
 * `npm run test:package`: apart from `npm test`, since it builds, installs from the registry, and checks a copy of
 * the repository.
 */
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
