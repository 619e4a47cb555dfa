import { createRequire } from 'node:module'
import { defineConfig } from 'vitest/config'

const require = createRequire(import.meta.url)

/** Tests that mock modules or globals, measure memory, or end on signals: each file has a process of its own. */
const OWN_PROCESS = [
  'test/{browser,delivery,outbound,process,sdk}/**/*.test.ts',
  'test/security/graphql-size.test.ts',
  'test/store/clock.test.ts',
]

export default defineConfig({
  // The build that Node takes. Vite would take another, and there would be two GraphQLErrors.
  resolve: { alias: [{ find: /^graphql$/, replacement: require.resolve('graphql') }] },
  test: {
    globalSetup: 'test/support/global-setup.ts',
    pool: 'forks',
    // They share the machine with PostgreSQL and with the processes that they start.
    maxWorkers: 2,
    // Limits for what hangs, not measures: any transaction of another file holds up who reads the change log.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // What a test waits for comes when the machine gets to it.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      { extends: true, test: { name: 'own process', include: OWN_PROCESS } },
      {
        extends: true,
        test: {
          name: 'shared process',
          // Not `exclude`, which would replace that of the command line.
          include: ['test/**/*.test.ts', ...OWN_PROCESS.map((pattern) => `!${pattern}`)],
          // Loading the source takes a second of each file, in which most files take as long to run.
          isolate: false,
        },
      },
    ],
  },
})
