import { createRequire } from 'node:module'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const require = createRequire(import.meta.url)

/** `npm run test:long`: tests that kill processes, restart databases or simulate days, too long for `npm test`. */
export default defineConfig({
  // The build that Node takes, as in the configuration of npm test.
  resolve: { alias: [{ find: /^graphql$/, replacement: require.resolve('graphql') }] },
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['test/**/*.check.ts', '!test/package/**'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 600_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
