/** The queue of one endpoint: bounded by the length of its records, re-read from the log on demand. */
import { expect, test } from 'vitest'
import { type ChangeWithUser, createStream, MAX_QUEUED_LENGTH } from '../../src/delivery/stream.ts'
import type { ChangePosition } from '../../src/query/change-cursor.ts'
import { numbers } from './webhook-harness.ts'

const RECORD_LENGTH = 20_000
const positionAt = (n: number): ChangePosition => ({ epoch: 1n, xid: BigInt(n), sequence: 1n })
const changeNumber = (n: number): ChangeWithUser => ({
  userId: null,
  change: {
    position: positionAt(n),
    environmentId: 'home',
    credentialId: null,
    topic: 'crm/accounts',
    kind: 'created',
    recordId: String(n),
    changedFields: [],
    at: new Date(0),
    cause: null,
    traceparent: null,
    record: 'x'.repeat(RECORD_LENGTH),
  },
})
const open = () => createStream({ position: positionAt(0), ahead: [], isWanted: () => true })
const send = () => 'send' as const

/** A page of the log with `count` changes in all. */
const pageOf = (stream: ReturnType<typeof open>, count: number) => {
  const first = Number(stream.readTo.xid) + 1
  const size = Math.min(stream.pageSize, count + 1 - first)
  const changes = numbers(Math.max(0, size), first).map(changeNumber)
  const hasMore = changes.length === stream.pageSize
  const next = hasMore ? positionAt(first + size - 1) : positionAt(count)
  return { after: stream.readTo, changes, next, hasMore }
}
const takeAll = (stream: ReturnType<typeof open>) => {
  const takenChanges = []
  for (let next = stream.take(send); next !== undefined; next = stream.take(send))
    takenChanges.push(next.entry)
  return takenChanges
}
const numberOf = ({ change }: { change: ChangeWithUser['change'] }) => Number(change.position.xid)

test('bounds the queue by its length and a page by the free space', () => {
  const stream = open()
  stream.add(pageOf(stream, 1000))
  const room = Math.ceil(MAX_QUEUED_LENGTH / RECORD_LENGTH)
  expect(stream.readTo).toEqual(positionAt(room))
  expect([stream.hasRoom, stream.needsPage]).toEqual([false, false])
  const takenChanges = takeAll(stream)
  expect(takenChanges.map(numberOf)).toEqual(numbers(room))
  // The rest is still in the log, and the next page is no longer than the free space of the queue.
  expect(stream.needsPage).toBe(true)
  expect(stream.pageSize).toBe(room)
})

test('takes a change longer than the bound on its own', () => {
  const stream = open()
  const record = 'x'.repeat(MAX_QUEUED_LENGTH * 2)
  const page = pageOf(stream, 3)
  const changes = page.changes.map((entry) => ({ ...entry, change: { ...entry.change, record } }))
  stream.add({ ...page, changes })
  expect(takeAll(stream).map(numberOf)).toEqual([1])
  expect([stream.needsPage, stream.pageSize]).toEqual([true, 1])
})

test('a delivered change keeps no record while it waits to be saved', () => {
  const stream = open()
  stream.add(pageOf(stream, 3))
  const [first, ...others] = takeAll(stream)
  for (const entry of others) stream.settle(entry)
  expect(others.map(({ change }) => change.record)).toEqual([null, null])
  expect(first?.change.record).toHaveLength(RECORD_LENGTH)
})

test('drops queued records and reads them from the log again, with no gap and no duplicate', () => {
  const stream = open()
  stream.add(pageOf(stream, 20))
  const sent: number[] = []
  const settle = (count: number): void => {
    for (let n = 0; n < count; n++) {
      const takenChanges = stream.take(send)
      if (takenChanges === undefined) return
      sent.push(numberOf(takenChanges.entry))
      stream.settle(takenChanges.entry)
    }
  }
  settle(4)
  stream.dropQueued()
  expect(stream.readTo).toEqual(positionAt(4))
  expect(stream.takeProgress().position).toEqual(positionAt(4))
  stream.add(pageOf(stream, 20))
  settle(2)
  expect(stream.takeProgress().position).toEqual(positionAt(6))
  stream.dropQueued()
  expect(stream.readTo).toEqual(positionAt(6))
  expect(stream.needsPage).toBe(true)
  stream.add(pageOf(stream, 20))
  settle(100)
  expect(sent).toEqual(numbers(20))
  expect(stream.takeProgress().position).toEqual(positionAt(20))
})

test('does not read again what was sent ahead of a queued change', () => {
  const stream = open()
  stream.add(pageOf(stream, 5))
  const takenChanges = stream.take(({ recordId }) => (recordId === '1' ? 'wait' : 'send'))
  if (takenChanges) stream.settle(takenChanges.entry)
  expect(takenChanges && numberOf(takenChanges.entry)).toBe(2)
  stream.dropQueued()
  expect(stream.readTo).toEqual(positionAt(2))
  stream.add(pageOf(stream, 5))
  expect(takeAll(stream).map(numberOf)).toEqual([1, 3, 4, 5])
})

test('ignores a page that was read before the position was reset', () => {
  const stream = open()
  stream.add(pageOf(stream, 4))
  const late = {
    ...pageOf(stream, 4),
    changes: [changeNumber(5)],
    next: positionAt(5),
    hasMore: false,
  }
  stream.dropQueued()
  stream.add(late)
  expect(takeAll(stream)).toEqual([])
  stream.add(pageOf(stream, 5))
  expect(takeAll(stream).map(numberOf)).toEqual(numbers(5))
})
