/**
 * What an initial sync is measured against: a loop that reads the app's pages and COPYs their rows into
 * the table: no change log, no comparison, no retries, and one COPY for all, which is the fastest. It
 * waits for a message, so that its start is not measured, and sends one when all is in.
 * Env: DATABASE_URL, APP_ORIGIN, CREDENTIAL_ID.
 */
import { randomUUID } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { AppAccount, AppPage } from './sync-app.ts'

const COPY = `COPY crm_accounts (credential_id, id, remote_id, account_name, account_owner, description,
  industry, website, number_of_employees, last_activity_at, addresses, phone_numbers, remote_fields,
  remote_created_at, remote_updated_at, remote_deleted, created_at, updated_at) FROM STDIN`

const { DATABASE_URL, APP_ORIGIN, CREDENTIAL_ID } = process.env

/** One line of COPY's text format. */
const copyLine = (values: readonly unknown[]): string =>
  `${values
    .map((value) =>
      String(value).replace(/[\\\t\n\r]/g, (character) =>
        character === '\n'
          ? '\\n'
          : character === '\t'
            ? '\\t'
            : character === '\r'
              ? '\\r'
              : '\\\\',
      ),
    )
    .join('\t')}\n`

const toLine = (raw: AppAccount, now: string): string => {
  const { id, name, owner, about, industry, website, employees, lastActivity, ...rest } = raw
  const { created, updated, address, phone, ...remoteFields } = rest
  const { street, city, state, country, zip } = address
  const place = { addressType: 'Billing', street1: street, city, state, country, postalCode: zip }
  return copyLine([
    CREDENTIAL_ID,
    randomUUID(),
    id,
    name,
    owner,
    about,
    industry,
    website,
    employees,
    lastActivity,
    JSON.stringify([place]),
    JSON.stringify([{ phoneNumberType: 'Primary', phoneNumber: phone }]),
    JSON.stringify(remoteFields),
    created,
    updated,
    false,
    now,
    now,
  ])
}

const readPage = async (page: number): Promise<AppPage> => {
  const response = await fetch(`${APP_ORIGIN}/accounts?page=${page}`)
  if (!response.ok) throw new Error(`Page ${page} answered ${response.status}.`)
  // The app is the benchmark's own: its pages have this form.
  return (await response.json()) as AppPage
}

async function* copyText(): AsyncGenerator<string> {
  for (let next: number | null = 1; next !== null; ) {
    const { records, nextPage } = await readPage(next)
    const now = new Date().toISOString()
    yield records.map((record) => toLine(record, now)).join('')
    next = nextPage
  }
}

const client = new pg.Client({ connectionString: DATABASE_URL })
await client.connect()
process.once('message', async () => {
  await pipeline(copyText, client.query(copyFrom(COPY)))
  process.send?.('done')
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
