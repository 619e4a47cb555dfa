import { createRequire } from 'node:module'
import { defineConfig } from 'vitest/config'

const require = createRequire(import.meta.url)

export default defineConfig({
  // The build that Node takes. Vite would take another, and there would be two GraphQLErrors.
  resolve: { alias: [{ find: /^graphql$/, replacement: require.resolve('graphql') }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    // A process for each file: tests stop processes, count connections and end on signals.
    pool: 'forks',
    // They share the machine with PostgreSQL and with the processes that they start.
    maxWorkers: 2,
    // Limits for what hangs, not measures: any transaction of another file holds up who reads the change log.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // What a test waits for comes when the machine gets to it.
    expect: { poll: { timeout: 60_000 } },
  },
})
