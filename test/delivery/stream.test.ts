/** What an endpoint has at hand of the log: bounded by the length of its records, and left in the log at need. */
import { expect, test } from 'vitest'
import { createStream, MAX_QUEUED_LENGTH, type ToldChange } from '../../src/delivery/stream.ts'
import type { ChangePosition } from '../../src/query/change-cursor.ts'
import { numbers } from './post-office.ts'

const LENGTH = 20_000
const place = (n: number): ChangePosition => ({ epoch: 1n, xid: BigInt(n), sequence: 1n })
const told = (n: number): ToldChange => ({
  userId: null,
  change: {
    ...{ position: place(n), environmentId: 'home', credentialId: null, topic: 'crm/accounts' },
    ...{ kind: 'created', recordId: String(n), changedFields: [], at: new Date(0), cause: null },
    record: 'x'.repeat(LENGTH),
  },
})
const open = () => createStream({ position: place(0), isWanted: () => true, window: 512 })
const send = () => 'send' as const

/** A page as the log gives it, where `count` changes are all there is. */
const pageOf = (stream: ReturnType<typeof open>, count: number) => {
  const first = Number(stream.readTo.xid) + 1
  const size = Math.min(stream.pageSize, count + 1 - first)
  const changes = numbers(Math.max(0, size), first).map(told)
  const hasMore = changes.length === stream.pageSize
  const next = hasMore ? place(first + size - 1) : place(count)
  return { after: stream.readTo, changes, next, hasMore }
}
const takeAll = (stream: ReturnType<typeof open>) => {
  const taken = []
  for (let next = stream.take(send); next !== undefined; next = stream.take(send))
    taken.push(next.entry)
  return taken
}
const numberOf = ({ change }: { change: ToldChange['change'] }) => Number(change.position.xid)

test('what is queued is bounded by its length, and a page by what there is room for', () => {
  const stream = open()
  stream.add(pageOf(stream, 1000))
  const room = Math.ceil(MAX_QUEUED_LENGTH / LENGTH)
  expect(stream.readTo).toEqual(place(room))
  expect([stream.isHungry, stream.isStarved]).toEqual([false, false])
  const taken = takeAll(stream)
  expect(taken.map(numberOf)).toEqual(numbers(room))
  // The rest is still in the log, and the next page is no longer than what is taken of it.
  expect(stream.isStarved).toBe(true)
  expect(stream.pageSize).toBe(room)
})

test('a change that is longer than the bound is taken alone', () => {
  const stream = open()
  const record = 'x'.repeat(MAX_QUEUED_LENGTH * 2)
  const page = pageOf(stream, 3)
  const changes = page.changes.map((one) => ({ ...one, change: { ...one.change, record } }))
  stream.add({ ...page, changes })
  expect(takeAll(stream).map(numberOf)).toEqual([1])
  expect([stream.isStarved, stream.pageSize]).toEqual([true, 1])
})

test('what is dealt with keeps no record until it is saved', () => {
  const stream = open()
  stream.add(pageOf(stream, 3))
  const [first, ...others] = takeAll(stream)
  for (const entry of others) stream.settle(entry)
  expect(others.map(({ change }) => change.record)).toEqual([null, null])
  expect(first?.change.record).toHaveLength(LENGTH)
})

test('what is queued is left in the log, and read again from there: nothing is left out, nothing comes twice', () => {
  const stream = open()
  stream.add(pageOf(stream, 20))
  const sent: number[] = []
  const settle = (count: number): void => {
    for (let n = 0; n < count; n++) {
      const taken = stream.take(send)
      if (taken === undefined) return
      sent.push(numberOf(taken.entry))
      stream.settle(taken.entry)
    }
  }
  settle(4)
  stream.forget()
  expect(stream.readTo).toEqual(place(4))
  expect(stream.takeProgress().position).toEqual(place(4))
  stream.add(pageOf(stream, 20))
  settle(2)
  expect(stream.takeProgress().position).toEqual(place(6))
  stream.forget()
  expect(stream.readTo).toEqual(place(6))
  expect(stream.isStarved).toBe(true)
  stream.add(pageOf(stream, 20))
  settle(100)
  expect(sent).toEqual(numbers(20))
  expect(stream.takeProgress().position).toEqual(place(20))
})

test('what was sent before another of its turn is not read again', () => {
  const stream = open()
  stream.add(pageOf(stream, 5))
  const taken = stream.take(({ recordId }) => (recordId === '1' ? 'wait' : 'send'))
  if (taken) stream.settle(taken.entry)
  expect(taken && numberOf(taken.entry)).toBe(2)
  stream.forget()
  expect(stream.readTo).toEqual(place(2))
  stream.add(pageOf(stream, 5))
  expect(takeAll(stream).map(numberOf)).toEqual([1, 3, 4, 5])
})

test('a page that was read before the place was put back is not taken', () => {
  const stream = open()
  stream.add(pageOf(stream, 4))
  const late = { ...pageOf(stream, 4), changes: [told(5)], next: place(5), hasMore: false }
  stream.forget()
  stream.add(late)
  expect(takeAll(stream)).toEqual([])
  stream.add(pageOf(stream, 5))
  expect(takeAll(stream).map(numberOf)).toEqual(numbers(5))
})
