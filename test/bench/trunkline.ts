/** Trunkline as a contender: how it starts, its request format and its page cursors. */
import { hash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Role } from '../../src/process/role.ts'
import { encodeCursor } from '../../src/query/cursor.ts'
import { defaultOrder } from '../../src/query/list-request.ts'
import { type Contender, recordsAt } from './contender.ts'
import { withClient } from './postgres.ts'
import { type Server, startServer } from './process.ts'
import { graphqlRequest, type HttpRequest, PAGE_SIZE, restRequest } from './question.ts'
import { credentialId } from './seed.ts'

const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
const API_KEY = `tl_dev_${hash('sha256', 'benchmark', 'hex').slice(0, 48)}`
const ENCRYPTION_KEY = `benchmark:${hash('sha256', 'benchmark', 'base64')}`
const headers = { authorization: `Bearer ${API_KEY}` }

/** The address and key of the started service. */
export const { authorization } = headers

/** Starts `trunkline serve` on a database and adds the seed's credentials to its environment. */
export const startTrunkline = async (
  databaseUrl: string,
  credentials: number,
  role: Role = 'all',
  env: Readonly<Record<string, string>> = {},
): Promise<Server> => {
  const server = await startServer({
    name: 'trunkline',
    script: cli,
    args: ['serve', '--role', role],
    env: {
      DATABASE_URL: databaseUrl,
      TRUNKLINE_DEV_API_KEY: API_KEY,
      TRUNKLINE_ENCRYPTION_KEYS: ENCRYPTION_KEY,
      ...env,
    },
  })
  try {
    await insertCredentials(databaseUrl, credentials)
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** Inserts the seed's credentials into the environment of the key, with no sync due. */
const insertCredentials = (databaseUrl: string, credentials: number): Promise<void> =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ environment_id: string }>(
      'SELECT environment_id FROM api_keys WHERE hash = $1',
      [hash('sha256', API_KEY, 'hex')],
    )
    const environmentId = rows[0]?.environment_id
    if (environmentId === undefined) throw new Error('Trunkline did not store its development key.')
    for (let n = 1; n <= credentials; n++)
      await client.query(
        `WITH tenant AS (
          INSERT INTO end_users (id, environment_id, username)
          VALUES (gen_random_uuid(), $1, $2) RETURNING id)
        INSERT INTO credentials (id, route, environment_id, user_id, app, values)
        SELECT $3::text::uuid, left($3, 8), $1, id, 'bench', '{}' FROM tenant`,
        [environmentId, `bench-${n}`, credentialId(n)],
      )
  })

/** Every changed account, with all fields. */
export const SUBSCRIPTION = `
  subscription Accounts($after: String) {
    crmAccounts(after: $after) {
      kind cursor changedFields at credentialId inFilter
      record {
        id remoteId accountName accountOwner description industry website numberOfEmployees
        lastActivityAt remoteFields remoteCreatedAt remoteUpdatedAt remoteDeleted createdAt updatedAt
        addresses { addressType street1 city state country postalCode }
        phoneNumbers { phoneNumberType phoneNumber }
      }
    }
  }`

/** The query for a page of records with these fields. */
const listQuery = (fields: string): string => `
  query Accounts($credentialId: ID!, $industry: String!, $employeesMin: Int!, $first: Int!) {
    crmAccounts(
      credentialId: $credentialId
      first: $first
      filter: { industry: $industry, numberOfEmployeesMin: $employeesMin }
    ) {
      nodes { ${fields} }
      pageInfo { hasNextPage endCursor }
    }
  }`

const QUERY = listQuery(`
  id remoteId accountName accountOwner description industry website numberOfEmployees
  lastActivityAt remoteFields remoteCreatedAt remoteUpdatedAt remoteDeleted createdAt updatedAt
  addresses { addressType street1 city state country postalCode }
  phoneNumbers { phoneNumberType phoneNumber }`)

const FEW_FIELDS = [
  ...['id', 'remoteId', 'accountName', 'accountOwner', 'description', 'industry', 'website'],
  ...['numberOfEmployees', 'remoteDeleted', 'updatedAt'],
]
const FEW_FIELDS_QUERY = listQuery(FEW_FIELDS.join(' '))

/** Our REST API as a contender. */
export const restContender = (server: Server): Contender => ({
  name: 'rest-list',
  server,
  request: (question) => restRequest(question, headers),
  readRecords: (response) => recordsAt(response, 'accounts'),
})

/** Our GraphQL API as a contender. */
export const graphqlContender = (server: Server): Contender => ({
  name: 'graphql-list',
  server,
  request: (question) => graphqlRequest(QUERY, question, headers),
  readRecords: (response) => recordsAt(response, 'data', 'crmAccounts', 'nodes'),
})

/** Ten chosen fields of the same records over our GraphQL API. */
export const fewFieldsContender = (server: Server): Contender => ({
  ...graphqlContender(server),
  name: 'graphql-few-fields',
  fields: FEW_FIELDS,
  request: (question) => graphqlRequest(FEW_FIELDS_QUERY, question, headers),
})

/** A page of the unfiltered list: the first, or the one after a cursor. */
export const pageRequest = (credentialId: string, cursor?: string): HttpRequest => {
  const query = new URLSearchParams({ credentialId, pageSize: String(PAGE_SIZE) })
  if (cursor !== undefined) query.set('cursor', cursor)
  return { method: 'GET', path: `/2024-03/one/crm/accounts?${query}`, headers }
}

/** The `Next-Cursor` of a page that ends with this record. */
export const cursorAfter = (record: { createdAt: string; id: string }): string =>
  encodeCursor(defaultOrder, { values: [record.createdAt], id: record.id })
