/** The start of the next listing of changes. */
import { describe, expect, it } from 'vitest'
import { nextSince } from '../../src/sync/plan-run.ts'

const OVERLAP_MS = 10_000
const timeAt = (clock: string): string => `2026-01-01T${clock}.000Z`

/** The time of day at which the next listing starts. */
const startOf = (
  run: { readonly since?: string; readonly completedAt?: string; readonly startedAt?: string } & {
    readonly appTime?: string
    readonly newest?: string
  },
): string => {
  const { since, completedAt, startedAt = '12:00:00', appTime, newest } = run
  const optionalTime = (clock: string | undefined): string | null =>
    clock === undefined ? null : timeAt(clock)
  const state = { since: optionalTime(since), completedAt: optionalTime(completedAt) }
  const progress = {
    appTime: optionalTime(appTime),
    startedAt: timeAt(startedAt),
    newest: optionalTime(newest),
  }
  return nextSince(state, progress, OVERLAP_MS).slice(11, 19)
}

const afterIdle = { since: '10:00:00', completedAt: '11:00:00' }

describe('the next listing of changes starts', () => {
  it.each([
    ['at the newest record', { newest: '11:30:00' }, '11:29:50'],
    ['at the start of the run if it saw a later record', { newest: '12:00:30' }, '11:59:50'],
    [
      'at the start of the run by the app’s clock',
      { newest: '12:00:30', appTime: '11:00:00' },
      '10:59:50',
    ],
    ['at the app’s time if there are no records', { appTime: '09:00:00' }, '08:59:50'],
    ['at the database’s time if the app reports none', {}, '11:59:50'],
    [
      'at the database’s time if there are no records and the app’s is later',
      { appTime: '13:00:00' },
      '11:59:50',
    ],
    // An hour, less one in a thousand.
    ['later by the time since the previous run', afterIdle, '10:59:56'],
    [
      'later by that time if the run read old records again',
      { ...afterIdle, newest: '10:00:05' },
      '10:59:56',
    ],
    [
      'later by that time also if the records’ clock is slow',
      { ...afterIdle, appTime: '12:00:00' },
      '10:59:56',
    ],
    ['at a new record', { ...afterIdle, newest: '11:59:00' }, '11:58:50'],
    ['never after the app’s time', { ...afterIdle, appTime: '10:30:00' }, '10:29:50'],
    [
      'at the app’s time after its clock was set back',
      { ...afterIdle, appTime: '09:00:00' },
      '08:59:50',
    ],
    [
      'unchanged if the database’s clock was set back',
      { ...afterIdle, startedAt: '10:30:00' },
      '10:00:00',
    ],
  ])('%s', (_case, run, start) => {
    expect(startOf(run)).toBe(start)
  })

  it('past an import after the overlap, in polls of an idle app that report old times only', () => {
    let since = timeAt('12:00:00')
    let listed = 0
    // A resource read through its parent: each listing returns the records, with their own, older time.
    for (let minute = 1; minute <= 30; minute++) {
      if (since <= timeAt('12:00:05')) listed++
      since = nextSince(
        { since, completedAt: timeAt(`12:${String(minute - 1).padStart(2, '0')}:01`) },
        {
          appTime: timeAt(`12:${String(minute).padStart(2, '0')}:00`),
          startedAt: timeAt(`12:${String(minute).padStart(2, '0')}:00`),
          newest: timeAt('11:00:00'),
        },
        OVERLAP_MS,
      )
    }
    expect(listed).toBe(1)
    expect(since > timeAt('12:25:00')).toBe(true)
  })
})
