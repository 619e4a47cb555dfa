/** The history of a new tenant: its simulation, at instants of the last year. */
import { setImmediate } from 'node:timers/promises'
import type {
  SandboxRow,
  SandboxSession,
  SandboxTenant,
} from '../../store/sandbox/sandbox-records.ts'
import { kindNames, type SandboxRecord } from '../kinds/kinds.ts'
import { createRandom } from '../random.ts'
import { openWorkspace } from '../workspace.ts'
import { eventContext } from './event.ts'
import { setUp } from './setup.ts'
import { ROUND_STEPS, runStep } from './step.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DAYS = 365
const STEPS = 20 * ROUND_STEPS
// Then the event loop can do other work.
const STEPS_PER_TURN = 20

/** Inputs of a history: tenant, seed and the instant at which it ends. */
export interface DatasetSeed {
  readonly tenant: string
  readonly seed: number
  /** ISO 8601 */
  readonly start: string
}

/** The initial records of a tenant. */
export interface Dataset {
  /** Grouped by kind, sorted by id. */
  readonly records: readonly SandboxRecord[]
  /** The last assigned number for each id prefix. */
  readonly numbers: Readonly<Record<string, number>>
}

/** A session in memory; `keep` stores what is written. */
const createMemorySession = (tenant: SandboxTenant) => {
  const rows = new Map<string, Map<string, SandboxRow>>(kindNames.map((kind) => [kind, new Map()]))
  const session = {
    tenant,
    get: async (keys: Parameters<SandboxSession['get']>[0]) =>
      keys.flatMap(({ kind, id }) => rows.get(kind)?.get(id) ?? []),
    live: async (kind: string) =>
      [...(rows.get(kind)?.values() ?? [])].filter(({ deleted }) => !deleted),
  }
  return {
    session,
    keep: (written: { readonly tenant: SandboxTenant; readonly rows: readonly SandboxRow[] }) => {
      session.tenant = written.tenant
      for (const row of written.rows) rows.get(row.kind)?.set(row.id, row)
    },
  }
}

/** Creates the records of a tenant: the same tenant, seed and start give identical records. */
export const createDataset = async ({ tenant, seed, start }: DatasetSeed): Promise<Dataset> => {
  const midnight = Date.parse(start.slice(0, 10))
  const hours = createRandom(tenant, seed, 'hours')
  const at = (daysAgo: number): Date =>
    new Date(midnight - daysAgo * DAY_MS + hours.integer(8 * HOUR_MS, 18 * HOUR_MS))
  const { session, keep } = createMemorySession({
    tokenHash: '',
    seed,
    start,
    clock: at(DAYS + 2).toISOString(),
    // The simulation goes on with step 0.
    steps: -STEPS,
    steppedAt: start,
    numbers: {},
  })
  const workspace = openWorkspace(session, at(DAYS + 1))
  await setUp(eventContext(workspace, createRandom(tenant, seed, 'setup')), tenant)
  keep(workspace.changes())
  for (let left = STEPS; left > 0; left--) {
    keep(await runStep(session, tenant, at(Math.ceil((DAYS * left) / STEPS))))
    if (left % STEPS_PER_TURN === 0) await setImmediate()
  }
  const byKind = await Promise.all(kindNames.map(session.live))
  return {
    // Safe cast: a workspace has created them.
    records: byKind.flat() as SandboxRecord[],
    numbers: session.tenant.numbers,
  }
}
