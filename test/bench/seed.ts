/** Creates the accounts that the benchmarks read. PostgreSQL generates them, the same in every run. */

import { recordId, resourceTag } from '../../src/definition/identity.ts'
import { account } from '../../src/resources/crm/account.ts'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { DOCUMENT, recordSql } from '../../src/store/records/record-sql.ts'
import { withClient } from './postgres.ts'

const TOPIC = 'crm/accounts'

export const INDUSTRIES = ['Software', 'Retail', 'Healthcare', 'Logistics', 'Education'] as const

/** The id of credential `n`, counted from 1. Its first group is unique, as the ids of records require. */
export const credentialId = (n: number): string =>
  `be5c${n.toString(16).padStart(4, '0')}-0000-4000-8000-000000000000`

// $1 credential, $2 records, $3 tag of the resource. The id is recordId() in SQL; `d` is its digest and
// the source of all pseudo-random values. 250 records share a creation time, as a sync page does.
// OFFSET 0 keeps the planner from computing a digest for every use of it.
const INSERT = `
  INSERT INTO crm_accounts (credential_id, id, remote_id, account_name, account_owner, description,
    industry, website, number_of_employees, last_activity_at, addresses, phone_numbers, remote_fields,
    remote_created_at, remote_updated_at, remote_deleted, created_at, updated_at)
  SELECT $1::uuid,
    (left($1, 8) || '-' || $3 || '-8' || substr(d, 1, 3) || '-'
      || substr('89ab', (r & 3) + 1, 1) || substr(d, 5, 3) || '-' || substr(d, 8, 12))::uuid,
    remote_id,
    initcap(w[r % 8 + 1]) || ' ' || initcap(w[r / 8 % 8 + 1]) || ' ' || n || ' GmbH & Co.',
    initcap(w[r / 64 % 8 + 1]) || ' ' || initcap(w[r / 512 % 8 + 1]),
    'Supplies ' || w[r % 8 + 1] || ' and ' || w[r / 8 % 8 + 1] || E' to the trade.\\nSays of itself: "'
      || w[r / 64 % 8 + 1] || ' since ' || 1900 + r % 120 || '", Zürich and ' || w[r / 512 % 8 + 1] || '.',
    ($4::text[])[s % 5 + 1],
    CASE WHEN r % 10 > 0 THEN 'https://www.' || w[r % 8 + 1] || n || '.example' END,
    1 + s % 500,
    CASE WHEN r % 8 > 0 THEN t + interval '300 days' + n * interval '977 ms' END,
    jsonb_build_array(
      jsonb_build_object('addressType', 'Billing', 'street1', r % 200 || ' ' || w[r % 8 + 1] || ' Street',
        'city', initcap(w[s % 8 + 1]), 'state', 'CA', 'country', 'US', 'postalCode', (10000 + r)::text),
      jsonb_build_object('addressType', 'Shipping', 'street1', s % 200 || ' ' || w[s % 8 + 1] || ' Road',
        'city', initcap(w[r % 8 + 1]), 'state', 'NY', 'country', 'US', 'postalCode', (10000 + s)::text)),
    jsonb_build_array(
      jsonb_build_object('phoneNumberType', 'Primary', 'phoneNumber', '+1 555 ' || 1000000 + r),
      jsonb_build_object('phoneNumberType', 'Mobile', 'phoneNumber', '+1 555 ' || 2000000 + s)),
    jsonb_build_object('ownerId', s, 'lifecycleStage', 'customer', 'score', round(r / 7.0, 2),
      'tags', jsonb_build_array(w[r % 8 + 1], w[s % 8 + 1]), 'externalKey', left(d, 16)),
    t + n * interval '1013 ms', t + interval '200 days' + n * interval '1019 ms', r % 50 = 0,
    t + interval '365 days' + n / 250 * interval '311 ms',
    t + interval '365 days' + n / 250 * interval '311 ms'
  FROM (
    SELECT n, remote_id, d,
      ('x' || substr(d, 23, 3) || substr(d, 4, 1))::bit(16)::integer AS r,
      ('x' || substr(d, 30, 4))::bit(16)::integer AS s,
      timestamptz '2024-01-01 00:00:00.123Z' AS t,
      '{copper,harbour,meadow,lantern,granite,willow,compass,ember}'::text[] AS w
    FROM (
      SELECT n, remote_id, encode(sha256(convert_to($1 || E'\\n${TOPIC}\\n' || remote_id, 'UTF8')), 'hex') AS d
      FROM (SELECT n, 'acc_' || n AS remote_id FROM generate_series(1, $2::integer) n) numbers
      OFFSET 0
    ) digests
    OFFSET 0
  ) seeds`

export interface Seed {
  readonly credentials: number
  readonly recordsEach: number
}

/** Creates the schema in an empty database and fills its table of accounts. */
export const seedAccounts = async (
  url: string,
  { credentials, recordsEach }: Seed,
): Promise<void> => {
  await applyMigrations(url)
  await withClient(url, async (client) => {
    await client.query('SET synchronous_commit = off; SET max_parallel_workers_per_gather = 0')
    for (let n = 1; n <= credentials; n++)
      await client.query(INSERT, [credentialId(n), recordsEach, resourceTag(TOPIC), INDUSTRIES])
    // Adds the document of each row, as our own writes do.
    await client.query('SET TimeZone = UTC')
    const document = recordSql(account).document('t.id', ({ name }) => `t.${name}`)
    await client.query(`UPDATE crm_accounts t SET ${DOCUMENT} = ${document}`)
    await client.query('VACUUM FULL crm_accounts')
    // Ensures that no vacuum or checkpoint caused by the seed runs during a measurement.
    await client.query('VACUUM (ANALYZE, FREEZE) crm_accounts')
    await client.query('CHECKPOINT')
    const id = recordId(credentialId(1), TOPIC, 'acc_1')
    const { rowCount } = await client.query('SELECT FROM crm_accounts WHERE id = $1', [id])
    if (rowCount !== 1) throw new Error('seed.ts no longer computes ids as recordId() does.')
  })
}
