/** The reason of an outage, as the log names it. */
import { expect, test } from 'vitest'
import type { Queryable } from '../../src/store/database/database.ts'
import { createOutageWatch } from '../../src/store/database/outage.ts'

const connectionRefused = (message: string) =>
  Object.assign(new Error(message), { code: 'ECONNREFUSED' })
const addresses = [
  connectionRefused('connect ECONNREFUSED ::1:1'),
  connectionRefused('connect ECONNREFUSED 127.0.0.1:1'),
]

test.each([
  [
    'the last line of a message',
    connectionRefused('Invalid call\n\nconnect refused'),
    'connect refused',
  ],
  [
    'the message of each address of a host',
    Object.assign(new AggregateError(addresses), { code: 'ECONNREFUSED' }),
    'connect ECONNREFUSED ::1:1, connect ECONNREFUSED 127.0.0.1:1',
  ],
])('the reason is %s', (_, err, reason) => {
  const warnings: object[] = []
  const ignore = (): void => {}
  const log = {
    debug: ignore,
    info: ignore,
    warn: (fields: object) => void warnings.push(fields),
    error: ignore,
  }
  const watch = createOutageWatch({
    // Not read: the watch is not started.
    database: () => ({}) as Queryable,
    isListening: () => false,
    log,
  })
  watch.quiet(log).warn({ err }, 'a failure')
  expect(warnings).toEqual([{ reason }])
})
