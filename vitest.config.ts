import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    // A process for each file: tests stop processes, count connections and end on signals.
    pool: 'forks',
    // They share the machine with PostgreSQL and with the processes that they start.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
