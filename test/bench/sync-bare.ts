/**
 * The baseline of an initial sync: a loop that reads the app's pages and COPYs the rows of each page
 * into the table, documents included: no change log, no comparison, no retries. It leaves the table as our
 * sync does, which the benchmark verifies; a page is durable once it is copied, as ours are once per thousand
 * rows. BARE_COPIES=one is stricter: one COPY for all pages, in which nothing is durable until the end.
 * It waits for a message, so that its start is not measured, and sends one when everything is copied.
 * Env: DATABASE_URL, APP_ORIGIN, CREDENTIAL_ID, BARE_COPIES.
 */
import { randomUUID } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { AppAccount, AppPage } from './sync-app.ts'

const COPY = `COPY crm_accounts (credential_id, id, remote_id, account_name, account_owner, description,
  industry, website, number_of_employees, last_activity_at, addresses, phone_numbers, remote_fields,
  remote_created_at, remote_updated_at, remote_deleted, created_at, updated_at, document) FROM STDIN`

const { DATABASE_URL, APP_ORIGIN, CREDENTIAL_ID, BARE_COPIES } = process.env

/** One line in the text format of COPY. */
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
  const recordUuid = randomUUID()
  const addresses = [
    { addressType: 'Billing', street1: street, city, state, country, postalCode: zip },
  ]
  const phoneNumbers = [{ phoneNumberType: 'Primary', phoneNumber: phone }]
  const document = {
    id: recordUuid,
    remoteId: id,
    accountName: name,
    accountOwner: owner,
    description: about,
    industry,
    website,
    numberOfEmployees: employees,
    lastActivityAt: lastActivity,
    addresses,
    phoneNumbers,
    remoteFields,
    remoteCreatedAt: created,
    remoteUpdatedAt: updated,
    remoteDeleted: false,
    createdAt: now,
    updatedAt: now,
  }
  return copyLine([
    CREDENTIAL_ID,
    recordUuid,
    id,
    name,
    owner,
    about,
    industry,
    website,
    employees,
    lastActivity,
    JSON.stringify(addresses),
    JSON.stringify(phoneNumbers),
    JSON.stringify(remoteFields),
    created,
    updated,
    false,
    now,
    now,
    JSON.stringify(document),
  ])
}

const readPage = async (page: number): Promise<AppPage> => {
  const response = await fetch(`${APP_ORIGIN}/accounts?page=${page}`)
  if (!response.ok) throw new Error(`Page ${page} returned ${response.status}.`)
  // The benchmark's own app has this page format.
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
  if (BARE_COPIES === 'one') await pipeline(copyText, client.query(copyFrom(COPY)))
  else for await (const text of copyText()) await pipeline([text], client.query(copyFrom(COPY)))
  process.send?.('done')
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
