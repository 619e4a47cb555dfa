/**
 * The yardstick: the same query served with only `node:http`, `pg` and `JSON.stringify`, written by hand
 * for this query: a named statement, typed columns, no framework, no authentication.
 * Runs in its own process. Env: DATABASE_URL, PORT.
 */
import { createServer, type ServerResponse } from 'node:http'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
pool.on('error', (error) => console.error(error))

const listAccounts = {
  name: 'list-accounts',
  text: `
    SELECT id, remote_id AS "remoteId", account_name AS "accountName",
      account_owner AS "accountOwner", description, industry, website,
      number_of_employees AS "numberOfEmployees", last_activity_at AS "lastActivityAt",
      addresses, phone_numbers AS "phoneNumbers", remote_fields AS "remoteFields",
      remote_created_at AS "remoteCreatedAt", remote_updated_at AS "remoteUpdatedAt",
      remote_deleted AS "remoteDeleted", created_at AS "createdAt", updated_at AS "updatedAt"
    FROM crm_accounts
    WHERE credential_id = $1 AND industry = $2 AND number_of_employees >= $3 AND NOT remote_deleted
    ORDER BY created_at, id
    LIMIT $4`,
}

const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  const json = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(json),
  })
  response.end(json)
}

const server = createServer(async (request, response) => {
  try {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const parameters = url.searchParams
    if (request.method !== 'GET' || url.pathname !== '/2024-03/one/crm/accounts')
      return sendJson(response, 404, { error: { code: 'NOT_FOUND' } })
    const credentialId = parameters.get('credentialId')
    const pageSize = Number(parameters.get('pageSize') ?? 50)
    const employeesMin = Number(parameters.get('numberOfEmployeesMin') ?? 0)
    if (!credentialId || !(pageSize >= 1 && pageSize <= 100) || Number.isNaN(employeesMin))
      return sendJson(response, 400, { error: { code: 'INVALID_PARAMETER' } })
    const values = [credentialId, parameters.get('industry'), employeesMin, pageSize]
    const { rows } = await pool.query({ ...listAccounts, values })
    sendJson(response, 200, { accounts: rows })
  } catch (error) {
    console.error(error)
    sendJson(response, 500, { error: { code: 'INTERNAL' } })
  }
})

server.listen(Number(process.env.PORT), '127.0.0.1')
// Exits with the benchmark that started this process.
process.on('disconnect', () => process.exit())
