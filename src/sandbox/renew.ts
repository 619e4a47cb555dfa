/** Renews tenants whose records an earlier version stored in another form. */
import type { Database } from '../store/database/database.ts'
import {
  changeSandbox,
  getSandboxTenant,
  listOutdatedTenants,
  type SandboxOutcome,
  type SandboxSession,
} from '../store/sandbox/sandbox-records.ts'
import type { Dataset } from './company/history.ts'
import { kindNames, RECORD_FORM } from './kinds/kinds.ts'
import { prepareTenant } from './tenant.ts'
import { openWorkspace } from './workspace.ts'

/** Replaces the records of a tenant. Readers see a change or a deletion of every record that they know. */
const replaceRecords = async (
  session: SandboxSession,
  { records, numbers }: Dataset,
  now: Date,
): Promise<SandboxOutcome<boolean>> => {
  // Another process was faster.
  if (session.tenant.form === RECORD_FORM)
    return { result: false, tenant: session.tenant, rows: [] }
  const workspace = openWorkspace(session, now)
  for (const kind of kindNames)
    for (const record of await workspace.where(kind)) workspace.retire(record)
  const { tenant, rows } = workspace.changes()
  const replaced = new Map(rows.map((row) => [row.id, row]))
  for (const record of records) {
    const { version = 1 } = replaced.get(record.id) ?? {}
    replaced.set(record.id, { ...record, version, modified: tenant.clock })
  }
  const used: Record<string, number> = { ...numbers }
  for (const [prefix, number] of Object.entries(tenant.numbers))
    used[prefix] = Math.max(number, used[prefix] ?? 0)
  const renewed = { ...tenant, form: RECORD_FORM, start: now.toISOString(), numbers: used }
  return { result: true, tenant: renewed, rows: [...replaced.values()] }
}

/** Gives each tenant of an earlier version new records; its token stays valid. @returns how many */
export const renewTenants = async (database: Database, now: Date): Promise<number> => {
  let count = 0
  for (const name of await listOutdatedTenants(database, RECORD_FORM)) {
    const tenant = await getSandboxTenant(database, name)
    if (!tenant) continue
    // Computed before the transaction, so that it holds its connection only briefly.
    const dataset = await prepareTenant(name, now, tenant.seed)
    if (await changeSandbox(database, name, (session) => replaceRecords(session, dataset, now)))
      count++
  }
  return count
}
