/** Renews tenants whose records an earlier version stored in another form. */
import type { Database } from '../store/database/database.ts'
import {
  changeSandbox,
  listSandboxTenants,
  type SandboxOutcome,
  type SandboxRow,
  type SandboxSession,
} from '../store/sandbox/sandbox-records.ts'
import { createDataset } from './company/history.ts'
import { kindNames, RECORD_FORM } from './kinds/kinds.ts'

const keyOf = ({ kind, id }: SandboxRow): string => `${kind}/${id}`

/** Replaces the records of a tenant. Readers see a change or a deletion of every record that they know. */
const renew = async (
  session: SandboxSession,
  tenant: string,
  now: Date,
): Promise<SandboxOutcome<boolean>> => {
  const { form, clock, seed, numbers } = session.tenant
  if (form === RECORD_FORM) return { result: false, tenant: session.tenant, rows: [] }
  const start = now.toISOString()
  const dataset = await createDataset({ tenant, seed, start })
  const created: readonly SandboxRow[] = dataset.records
  const ids = new Set(created.map(keyOf))
  const stored = new Map((await session.get(created)).map((row) => [keyOf(row), row]))
  const live = (await Promise.all(kindNames.map(session.live))).flat()
  const removed = live.filter((row) => !ids.has(keyOf(row)))
  const modified = new Date(Math.max(now.getTime(), Date.parse(clock) + 1)).toISOString()
  const rows = [...created, ...removed.map((row) => ({ ...row, deleted: true }))].map((row) => ({
    ...row,
    version: (stored.get(keyOf(row)) ?? row).version + 1,
    modified,
  }))
  const highest = Object.entries(dataset.numbers).map(([prefix, number]) => [
    prefix,
    Math.max(number, numbers[prefix] ?? 0),
  ])
  return {
    result: true,
    tenant: {
      ...session.tenant,
      form: RECORD_FORM,
      start,
      clock: modified,
      numbers: { ...numbers, ...Object.fromEntries(highest) },
    },
    rows,
  }
}

/** Gives each tenant of an earlier version new records; its token stays valid. @returns how many */
export const renewTenants = async (database: Database, now: Date): Promise<number> => {
  let renewed = 0
  for (const tenant of await listSandboxTenants(database))
    if (await changeSandbox(database, tenant, (session) => renew(session, tenant, now))) renewed++
  return renewed
}
