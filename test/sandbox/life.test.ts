/** The simulated activity of sandbox companies over time. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sum, units } from '../../src/sandbox/amounts.ts'
import { kindOf, kindNames as names } from '../../src/sandbox/kinds/kinds.ts'
import { balanceSign } from '../../src/sandbox/ledger.ts'
import { createSandboxSimulation, takeStep } from '../../src/sandbox/life.ts'
import { getSandboxTenant } from '../../src/store/sandbox/sandbox-records.ts'
import { openSandboxHarness, type Raw, type SandboxHarness, START } from './sandbox-harness.ts'

const BEGINNING = '1970-01-01T00:00:00.000Z'

const listEverything = async ({ listAll }: SandboxHarness): Promise<Record<string, Raw[]>> =>
  Object.fromEntries(
    await Promise.all(names.map(async (kind) => [kind, await listAll(kind, BEGINNING)])),
  )

/** Debit minus credit, in ten-thousandths. */
const balance = (accounts: readonly Raw[]): number =>
  sum(
    accounts.map(
      (account) =>
        // The sandbox's own field names.
        balanceSign(account.classification as Parameters<typeof balanceSign>[0]) *
        units(String(account.currentBalance)),
    ),
  )

const opened: SandboxHarness[] = []
/** A clock that moves. */
const hostClock = { nowMs: Date.now }

const open = async (): Promise<SandboxHarness> => {
  const harness = await openSandboxHarness()
  opened.push(harness)
  return harness
}
afterAll(() => Promise.all(opened.map((each) => each.stop())))

/** Runs steps of a tenant, ten seconds each. */
const runSteps = async ({ app, clock }: SandboxHarness, steps: number): Promise<void> => {
  for (let step = 0; step < steps; step++) {
    clock.now = new Date(clock.now.getTime() + 10_000)
    await app.advance('acme')
  }
}

describe('sixty steps', () => {
  let harness: SandboxHarness
  let before: Record<string, Raw[]>
  let after: Record<string, Raw[]>
  beforeAll(async () => {
    harness = await open()
    before = await listEverything(harness)
    await runSteps(harness, 60)
    after = await listEverything(harness)
  })

  test('are the same for the same tenant, seed and start', async () => {
    const otherHarness = await open()
    await runSteps(otherHarness, 60)
    expect(await listEverything(otherHarness)).toEqual(after)
  })

  test('create, change and delete records in all three parts of the company', () => {
    const createdKinds = names.filter(
      (kind) => (after[kind]?.length ?? 0) > (before[kind]?.length ?? 0),
    )
    const changed = names.filter((kind) =>
      before[kind]?.some((old) =>
        after[kind]?.some(
          ({ id, version, deleted }) => id === old.id && version > old.version && !deleted,
        ),
      ),
    )
    const deleted = names.filter((kind) => after[kind]?.some((each) => each.deleted))
    expect(createdKinds).toEqual(
      expect.arrayContaining(['invoices', 'payments', 'leads', 'people', 'orders', 'shipments']),
    )
    expect(changed).toEqual(
      expect.arrayContaining(['invoices', 'vendors', 'leads', 'deals', 'orders', 'products']),
    )
    expect(deleted).toEqual(expect.arrayContaining(['leads', 'notes']))
  })

  test('happen at the current time, each change after the previous one', () => {
    const recent = names
      .flatMap((kind) => after[kind] ?? [])
      .filter(({ modified }) => modified >= START)
      .map(({ modified }) => modified)
    expect(recent.length).toBeGreaterThan(60)
    expect(new Set(recent).size).toBe(recent.length)
    // The writes of one step are a millisecond apart.
    const latest = harness.clock.now.getTime() + 100
    for (const modified of recent) expect(Date.parse(modified)).toBeLessThan(latest)
  })

  test('leave the ledger balanced, and payments equal to the paid amounts', () => {
    expect(balance(after.ledger_accounts ?? [])).toBe(0)
    for (const invoice of after.invoices ?? []) {
      const paid = (after.payments ?? []).filter((payment) => payment.invoice === invoice.id)
      expect(sum(paid.map(({ totalAmount }) => units(String(totalAmount))))).toBe(
        units(String(invoice.totalAmount)) - units(String(invoice.balance)),
      )
    }
  })
})

test('a step works whatever users have deleted', async () => {
  const { database, listAll, app } = await open()
  const writable = names.filter((name) => kindOf(name)?.verbs.includes('delete'))
  await database.prisma.$executeRaw`
    UPDATE sandbox_records SET deleted = true WHERE tenant = 'acme' AND kind = ANY(${writable})`
  await app.advance('acme', 60)
  expect((await listAll('leads')).length).toBeGreaterThan(0)
})

test('closed records are archived, so that an old company stays the same size', async () => {
  const { database, listAll, app } = await open()
  const ordersBefore = await listAll('orders')
  // Simulates months of activity: four times the initial documents.
  await database.prisma.$executeRaw`
    INSERT INTO sandbox_records (tenant, kind, id, version, deleted, created_at, updated_at, body)
    SELECT tenant, kind, replace(id, '_', '_' || copy), 1, false, created_at, updated_at, body
    FROM sandbox_records, generate_series(1, 3) AS copy
    WHERE tenant = 'acme' AND kind = ANY(ARRAY['orders', 'invoices', 'bills', 'tasks', 'leads'])`
  const before = await listAll('ledger_accounts')
  expect(await listAll('orders')).toHaveLength(4 * ordersBefore.length)
  await app.advance('acme', 60)
  for (const kind of names) {
    const left = await listAll(kind)
    const closed = left.filter(
      ({ state, orderStatus, taskStatus }) =>
        state === 'paid' || orderStatus === 'completed' || taskStatus === 'done',
    )
    expect(closed.length, kind).toBeLessThanOrEqual(160)
  }
  expect((await listAll('leads')).length).toBeLessThanOrEqual(155)
  const orders = await listAll('orders', BEGINNING)
  expect(orders.filter(({ deleted }) => deleted).length).toBeGreaterThan(40)
  expect(balance(await listAll('ledger_accounts'))).toBe(balance(before))
})

test('deleted records are removed after a month, except the last of them', async () => {
  const harness = await open()
  const { clock, listAll, app } = harness
  await runSteps(harness, 60)
  const countDeletedNotes = async () =>
    (await listAll('notes', BEGINNING)).filter(({ deleted }) => deleted).length
  const before = await countDeletedNotes()
  expect(before).toBeGreaterThan(0)
  clock.now = new Date(clock.now.getTime() + 90 * 86_400_000)
  await app.advance('acme', 60)
  expect(await countDeletedNotes()).toBeGreaterThan(before)
})

describe('time', () => {
  const INTERVAL_MS = 10_000

  test('brings one step per interval, however many processes share the sandbox', async () => {
    const { database, clock } = await open()
    const takeDueSteps = () =>
      Promise.all(
        Array.from({ length: 6 }, () =>
          takeStep(database, { nowMs: () => clock.now.getTime() }, 'acme', INTERVAL_MS),
        ),
      )
    const readStepCount = async () => (await getSandboxTenant(database, 'acme'))?.steps
    expect(await takeDueSteps()).not.toContain(true)
    for (let interval = 1; interval <= 5; interval++) {
      clock.now = new Date(Date.parse(START) + interval * INTERVAL_MS + 137)
      const taken = (await takeDueSteps()).filter((isTaken) => isTaken)
      expect(taken).toHaveLength(1)
      expect(await readStepCount()).toBe(interval)
    }
    // Steps that were missed during a pause are not made up for.
    clock.now = new Date(Date.parse(START) + 100 * INTERVAL_MS)
    await takeDueSteps()
    expect(await readStepCount()).toBe(6)
  })

  test('advances while the actor runs, and stops with it', async () => {
    const { database, app } = await open()
    await app.openTenant('globex')
    const life = createSandboxSimulation({
      database,
      clock: hostClock,
      intervalMs: 20,
      log: { warn() {} },
    })
    const stepsOf = async (tenant: string) => (await getSandboxTenant(database, tenant))?.steps ?? 0
    life.start()
    life.start()
    for (const tenant of ['acme', 'globex'])
      await expect.poll(() => stepsOf(tenant), { timeout: 20_000 }).toBeGreaterThan(2)
    await life.stop()
    const stopped = await stepsOf('acme')
    await life.stop()
    expect(await stepsOf('acme')).toBe(stopped)
  })

  test('continues after a failure, which is reported', async () => {
    const { database } = await open()
    const warnings: string[] = []
    const broken = { ...database, prisma: undefined as unknown as typeof database.prisma }
    const life = createSandboxSimulation({
      database: broken,
      clock: hostClock,
      intervalMs: 10,
      log: { warn: (_facts, message) => void warnings.push(message) },
    })
    life.start()
    await expect.poll(() => warnings.length, { timeout: 20_000 }).toBeGreaterThan(1)
    await life.stop()
  })

  test('requires an existing tenant', async () => {
    const { app } = await open()
    await expect(app.advance('nobody')).rejects.toThrow('nobody')
  })
})
