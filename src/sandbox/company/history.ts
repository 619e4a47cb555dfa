/** The history of a new tenant: the same events that happen later, at instants of the last two and a half years. */
import type { SandboxRow, SandboxSession } from '../../store/sandbox/sandbox-records.ts'
import { derivedKinds, kindNames, type SandboxRecord } from '../kinds/kinds.ts'
import { openWorkspace } from '../open-workspace.ts'
import { createRandom } from '../random.ts'
import { bookEvents } from './books.ts'
import { creationOf, type SimulatedEvent } from './event.ts'
import { salesEvents } from './sales.ts'
import { setUp } from './setup.ts'
import { shopEvents } from './shop.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

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

const events = { ...bookEvents, ...salesEvents, ...shopEvents }

/** How often each event happens, evenly spread from the first to the last day (days before the start). */
const plan: readonly (readonly [keyof typeof events, number, number, number])[] = [
  ['findVendor', 25, 860, 200],
  ['winClient', 40, 860, 200],
  ['addItem', 30, 850, 560],
  ['meetOrganization', 30, 600, 40],
  ['meetPerson', 45, 590, 20],
  ['addProduct', 25, 500, 212],
  ['joinShop', 30, 400, 100],
  ['orderFromVendor', 22, 176, 4],
  ['sendInvoice', 62, 175, 2],
  ['receiveBill', 42, 168, 2],
  ['advanceOrder', 36, 165, 5],
  ['payInvoice', 46, 160, 3],
  ['payBill', 30, 150, 3],
  ['openDeal', 32, 160, 2],
  ['moveDeal', 60, 150, 2],
  ['meetLead', 40, 120, 1],
  ['writeNote', 40, 110, 1],
  ['placeOrder', 50, 95, 1],
  ['shipOrder', 40, 92, 2],
  ['cancelOrder', 3, 80, 10],
  ['setTask', 35, 60, 1],
  ['doTask', 28, 50, 2],
]

/** Adds records to the collections without events of their own; later ones reference earlier ones. */
const addDerived: SimulatedEvent = async (workspace, random) => {
  for (let round = 0; round < 12; round++)
    for (const kind of derivedKinds.values()) await creationOf(kind)(workspace, random)
}

/** Company name of a tenant: `north-star` becomes `North Star`. */
const titleOf = (tenant: string): string =>
  tenant
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')

/** A session in memory, which keeps what is written. */
const createMemorySession = (tenant: SandboxSession['tenant']) => {
  const rows = new Map<string, Map<string, SandboxRow>>()
  const of = (kind: string) => rows.get(kind) ?? new Map<string, SandboxRow>()
  return {
    tenant,
    get: async (keys: Parameters<SandboxSession['get']>[0]) =>
      keys.flatMap(({ kind, id }) => of(kind).get(id) ?? []),
    live: async (kind: string) => [...of(kind).values()],
    store: (row: SandboxRow) => rows.set(row.kind, of(row.kind).set(row.id, row)),
  }
}

/** Creates the records of a tenant: the same tenant, seed and start give identical records. */
export const createDataset = async ({ tenant, seed, start }: DatasetSeed): Promise<Dataset> => {
  const midnight = Date.parse(start.slice(0, 10))
  const hours = createRandom(tenant, seed, 'hours')
  const at = (daysAgo: number): Date =>
    new Date(midnight - daysAgo * DAY_MS + hours.integer(8 * HOUR_MS, 18 * HOUR_MS))
  const happenings = plan.flatMap(([name, count, first, last]) =>
    Array.from({ length: count }, (_, index) => ({
      scope: `${name} ${index}`,
      at: at(Math.round(first - ((first - last) * index) / (count - 1))),
      apply: events[name],
    })),
  )
  const setUpCompany: SimulatedEvent = (workspace, random) =>
    setUp(workspace, random, titleOf(tenant))
  const all = [
    { scope: 'setup', at: at(900), apply: setUpCompany },
    ...happenings.sort((a, b) => a.at.getTime() - b.at.getTime()),
    { scope: 'derived', at: new Date(midnight - HOUR_MS), apply: addDerived },
  ]
  const unused = { tokenHash: '', seed, start, steps: 0, steppedAt: start }
  let memory = createMemorySession({ ...unused, clock: at(901).toISOString(), numbers: {} })
  for (const { scope, at: now, apply } of all) {
    const workspace = openWorkspace(memory, now)
    await apply(workspace, createRandom(tenant, seed, 'history', scope))
    const changes = workspace.changes()
    for (const row of changes.rows) memory.store(row)
    memory = { ...memory, tenant: changes.tenant }
  }
  const byKind = await Promise.all(kindNames.map((kind) => memory.live(kind)))
  return {
    // Safe cast: a workspace has created them.
    records: byKind.flat() as SandboxRecord[],
    numbers: memory.tenant.numbers,
  }
}
