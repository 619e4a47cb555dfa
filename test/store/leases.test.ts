/** A lease has one holder at a time; a holder that has lost it changes nothing and stops working. */
import { randomUUID } from 'node:crypto'
import { Prisma } from '@prisma/client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/store/database/database.ts'
import { createLeaseRenewal, type HeldLease } from '../../src/store/database/lease-renewal.ts'
import {
  acquired,
  isFree,
  isHeldBy,
  isRow,
  type Lease,
  LeaseLostError,
  type LeaseTable,
  RELEASED,
  renewLeases,
} from '../../src/store/database/lease-sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

const { sql } = Prisma

type Key = { readonly id: string; readonly part: string }
const TABLE: LeaseTable<Key> = {
  name: 'leased',
  key: { id: ['id', 'uuid'], part: ['part', 'text'] },
  isScheduled: true,
}
const HOUR_MS = 3_600_000
const within = { timeout: 60_000, interval: 5 }

let storage: TestDatabase
let database: Database
let key: Key
beforeAll(async () => {
  storage = await createTestDatabase()
  database = openDatabase({ url: storage.url })
  await database.prisma.$executeRaw`CREATE TABLE leased (id uuid, part text, holder uuid,
    held_until timestamptz(3), due_at timestamptz(3) DEFAULT clock_timestamp(), value text,
    PRIMARY KEY (id, part))`
})
afterAll(async () => {
  await database.stop()
  await storage.drop()
})

const addRow = async (): Promise<Key> => {
  const added = { id: randomUUID(), part: 'one' }
  await database.prisma
    .$executeRaw`INSERT INTO leased (id, part) VALUES (${added.id}::uuid, ${added.part})`
  return added
}
beforeEach(async () => {
  key = await addRow()
})

const acquireLease = async (of = key, durationMs = HOUR_MS): Promise<Lease<Key> | undefined> => {
  const lease = { key: of, holder: randomUUID(), durationMs }
  const taken = await database.prisma.$executeRaw(sql`
    UPDATE leased l SET ${acquired(TABLE, sql`${lease.holder}::uuid`, durationMs)}
    WHERE ${isRow(TABLE, of)} AND ${isFree('l')}`)
  return taken > 0 ? lease : undefined
}
const mustAcquire = async (of = key, durationMs = HOUR_MS): Promise<Lease<Key>> => {
  const lease = await acquireLease(of, durationMs)
  if (!lease) throw new Error('The row is not free.')
  return lease
}
const write = (lease: Lease<Key>, assignments: Prisma.Sql): Promise<number> =>
  database.prisma.$executeRaw(sql`UPDATE leased SET ${assignments} WHERE ${isHeldBy(TABLE, lease)}`)
const expire = () =>
  database.prisma.$executeRaw(
    sql`UPDATE leased SET held_until = clock_timestamp() - interval '1 second'
      WHERE ${isRow(TABLE, key)}`,
  )
const takeOver = async (of = key): Promise<unknown> =>
  database.prisma.$executeRaw(
    sql`UPDATE leased SET holder = ${randomUUID()}::uuid WHERE ${isRow(TABLE, of)}`,
  )

interface Row {
  readonly holder: string | null
  readonly heldForMs: number | null
  readonly dueInMs: number
  readonly value: string | null
}
const readRow = async (of = key): Promise<Row | undefined> => {
  const [row] = await database.prisma.$queryRaw<Row[]>(sql`
    SELECT holder::text, value,
      (extract(epoch FROM held_until - clock_timestamp()) * 1000)::float AS "heldForMs",
      (extract(epoch FROM due_at - clock_timestamp()) * 1000)::float AS "dueInMs"
    FROM leased WHERE ${isRow(TABLE, of)}`)
  return row
}

describe('in the database', () => {
  test('one of several processes acquires a free row, and scans of due rows skip it', async () => {
    const leases = await Promise.all(Array.from({ length: 8 }, () => acquireLease()))
    const [lease, ...others] = leases.filter((lease) => lease !== undefined)
    expect(others).toEqual([])
    const row = await readRow()
    expect(row?.holder).toBe(lease?.holder)
    expect(row?.heldForMs).toBeGreaterThan(HOUR_MS - 60_000)
    expect(row?.dueInMs).toBeCloseTo(row?.heldForMs ?? 0, -2)
  })

  test('an expired lease is free, but belongs to its holder until another takes it', async () => {
    const lease = await mustAcquire()
    await expire()
    expect(await write(lease, sql`value = 'late'`)).toBe(1)
    expect([...(await renewLeases(database, TABLE, [lease]))]).toEqual([lease.holder])
    expect(await acquireLease()).toBeUndefined()
    await expire()
    expect(await acquireLease()).toBeDefined()
  })

  test('a holder that another has replaced neither writes, renews nor releases', async () => {
    const late = await mustAcquire()
    await expire()
    const next = await mustAcquire()
    const before = await readRow()
    expect(await write(late, sql`value = 'late'`)).toBe(0)
    expect(await write(late, RELEASED)).toBe(0)
    expect([...(await renewLeases(database, TABLE, [late, next]))]).toEqual([next.holder])
    expect(await write(next, sql`value = 'next'`)).toBe(1)
    expect(await readRow()).toMatchObject({ holder: before?.holder, value: 'next' })
  })

  test('a released row is free', async () => {
    const lease = await mustAcquire()
    expect(await write(lease, RELEASED)).toBe(1)
    expect(await readRow()).toMatchObject({ holder: null, heldForMs: null })
    expect(await write(lease, sql`value = 'late'`)).toBe(0)
    expect(await acquireLease()).toBeDefined()
  })

  test('one statement renews leases of several rows, whatever their order', async () => {
    const other = await addRow()
    const leases = [await mustAcquire(key, 1000), await mustAcquire(other, HOUR_MS)]
    const renewed = await renewLeases(database, TABLE, leases.toReversed())
    expect(renewed).toEqual(new Set(leases.map(({ holder }) => holder)))
    expect((await readRow())?.heldForMs).toBeGreaterThan(HOUR_MS - 60_000)
  })
})

describe('in the process that holds it', () => {
  const held: HeldLease[] = []
  const failures: unknown[] = []

  /** Simulates a process that holds rows and renews their leases in `table`. */
  const holdAll = async (keys: readonly Key[], durationMs: number, table = TABLE) => {
    const renewal = createLeaseRenewal<Lease<Key>>({
      durationMs,
      renew: (leases) => renewLeases(database, table, leases),
      onFailure: (error) => failures.push(error),
    })
    for (const of of keys) {
      const sentMs = performance.now()
      held.push(renewal.hold(await mustAcquire(of, durationMs), sentMs))
    }
    return held
  }
  beforeEach(() => {
    failures.length = 0
    return () => {
      for (const lease of held.splice(0)) lease.release()
    }
  })
  const isLost = (lease: HeldLease | undefined) =>
    expect.poll(() => lease?.signal.reason, within).toBeInstanceOf(LeaseLostError)

  test('is renewed until it is released, and a released one is not reported as lost', async () => {
    const other = await addRow()
    const [lease, released] = await holdAll([key, other], 3000)
    released?.release()
    await takeOver(other)
    for (let renewals = 0; renewals < 2; renewals += 1) {
      await expect.poll(async () => (await readRow())?.heldForMs, within).toBeLessThan(2500)
      await expect.poll(async () => (await readRow())?.heldForMs, within).toBeGreaterThan(2700)
    }
    expect(lease?.signal.aborted).toBe(false)
    expect(released?.signal.aborted).toBe(false)
    expect(failures).toEqual([])
  })

  test('its loss to another process aborts the work, and only that', async () => {
    const other = await addRow()
    const [lease, remaining] = await holdAll([key, other], 3000)
    await takeOver()
    await isLost(lease)
    expect(remaining?.signal.aborted).toBe(false)
  })

  test('renewals that fail abort the work when it expires', async () => {
    const startedMs = performance.now()
    const [lease] = await holdAll([key], 1500, { ...TABLE, name: 'no_such_table' })
    await isLost(lease)
    // A timer may be a millisecond early.
    expect(performance.now() - startedMs).toBeGreaterThan(1490)
    expect(failures[0]).toMatchObject({ message: expect.stringContaining('no_such_table') })
  })

  test('a renewal that hangs aborts the work when it expires', async () => {
    const [lease] = await holdAll([key], 1500)
    await database.prisma.$transaction(
      async (transaction) => {
        await transaction.$queryRaw(sql`SELECT FROM leased WHERE ${isRow(TABLE, key)} FOR UPDATE`)
        await isLost(lease)
      },
      { timeout: 60_000 },
    )
    expect(failures).toEqual([])
  })
})
