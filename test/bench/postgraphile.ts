/** PostGraphile 5, in its own package folder, as a contender. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type AccountRecord, type Contender, recordsAt } from './contender.ts'
import { startServer } from './process.ts'
import { graphqlRequest } from './question.ts'

const folder = fileURLToPath(new URL('postgraphile', import.meta.url))

/**
 * Installs PostGraphile if its folder lacks it.
 * @throws Error with the command to run by hand
 */
export const installPostgraphile = async (log: (line: string) => void): Promise<void> => {
  if (existsSync(`${folder}/node_modules/postgraphile`)) return
  log('Installing PostGraphile: npm ci --prefix test/bench/postgraphile')
  try {
    await promisify(execFile)('npm', ['ci'], { cwd: folder, timeout: 300_000 })
  } catch (cause) {
    const remedy = 'PostGraphile is not installed: npm ci --prefix test/bench/postgraphile'
    throw new Error(remedy, { cause })
  }
}

// Nested lists are JSON here: PostGraphile sees a jsonb column and does not have to unpack it.
const QUERY = `
  query Accounts($credentialId: UUID!, $industry: String!, $employeesMin: Int!, $first: Int!) {
    allCrmAccounts(
      first: $first
      orderBy: [CREATED_AT_ASC, ROW_ID_ASC]
      filter: {
        credentialId: { equalTo: $credentialId }
        industry: { equalTo: $industry }
        numberOfEmployees: { greaterThanOrEqualTo: $employeesMin }
        remoteDeleted: { equalTo: false }
      }
    ) {
      nodes {
        rowId remoteId accountName accountOwner description industry website numberOfEmployees
        lastActivityAt addresses phoneNumbers remoteFields remoteCreatedAt remoteUpdatedAt
        remoteDeleted createdAt updatedAt
      }
      pageInfo { hasNextPage endCursor }
    }
  }`

const timestamps = [
  'lastActivityAt',
  'remoteCreatedAt',
  'remoteUpdatedAt',
  'createdAt',
  'updatedAt',
] as const

/** PostGraphile calls the column `rowId` and writes times with an offset; the instants are the same. */
const inContractSpelling = ({ rowId, ...fields }: AccountRecord): AccountRecord => {
  const times = timestamps.map((name) => {
    const value = fields[name]
    return [name, typeof value === 'string' ? new Date(value).toISOString() : value]
  })
  return { id: rowId, ...fields, ...Object.fromEntries(times) }
}

/** Starts PostGraphile on the database. */
export const startPostgraphile = async (databaseUrl: string): Promise<Contender> => ({
  name: 'postgraphile-list',
  server: await startServer({
    name: 'postgraphile',
    script: `${folder}/server.js`,
    env: { DATABASE_URL: databaseUrl, GRAPHILE_ENV: 'production' },
  }),
  request: (question) => graphqlRequest(QUERY, question),
  readRecords: (response) =>
    recordsAt(response, 'data', 'allCrmAccounts', 'nodes').map(inContractSpelling),
})
