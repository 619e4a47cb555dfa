/** Renews tenants whose records an earlier version stored in another form. */
import type { Database } from '../store/database/database.ts'
import {
  changeSandbox,
  getSandboxTenant,
  listOutdatedTenants,
  type SandboxOutcome,
  type SandboxRow,
  type SandboxSession,
} from '../store/sandbox/sandbox-records.ts'
import { createDataset, type Dataset } from './company/history.ts'
import { kindNames, RECORD_FORM } from './kinds/kinds.ts'

const keyOf = ({ kind, id }: SandboxRow): string => `${kind}/${id}`

/** Replaces the records of a tenant. Readers see a change or a deletion of every record that they know. */
const replaceRecords = async (
  session: SandboxSession,
  { records, numbers }: Dataset,
  now: Date,
): Promise<SandboxOutcome<boolean>> => {
  const { tenant } = session
  // Another process was faster.
  if (tenant.form === RECORD_FORM) return { result: false, tenant, rows: [] }
  const modified = new Date(Math.max(now.getTime(), Date.parse(tenant.clock) + 1)).toISOString()
  const live = (await Promise.all(kindNames.map((kind) => session.live(kind)))).flat()
  const stored = new Map([...live, ...(await session.get(records))].map((row) => [keyOf(row), row]))
  const all = [...live.map((row) => ({ ...row, deleted: true })), ...records]
  const rows = [...new Map(all.map((row) => [keyOf(row), row])).values()].map((row) => ({
    ...row,
    version: (stored.get(keyOf(row)) ?? row).version + 1,
    modified,
  }))
  const used: Record<string, number> = { ...numbers }
  for (const [prefix, number] of Object.entries(tenant.numbers))
    used[prefix] = Math.max(number, used[prefix] ?? 0)
  const renewed = { form: RECORD_FORM, start: now.toISOString(), clock: modified, numbers: used }
  return { result: true, tenant: { ...tenant, ...renewed }, rows }
}

/** Gives each tenant of an earlier version new records; its token stays valid. @returns how many */
export const renewTenants = async (database: Database, now: Date): Promise<number> => {
  let count = 0
  for (const name of await listOutdatedTenants(database, RECORD_FORM)) {
    const tenant = await getSandboxTenant(database, name)
    if (!tenant) continue
    // Computed before the transaction, so that it holds its connection only briefly.
    const dataset = await createDataset({
      tenant: name,
      seed: tenant.seed,
      start: now.toISOString(),
    })
    if (await changeSandbox(database, name, (session) => replaceRecords(session, dataset, now)))
      count++
  }
  return count
}
