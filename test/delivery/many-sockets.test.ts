/** 10,000 sockets on one process: each receives each change once, in bounded memory. */
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilLogReadable } from '../support/until-log-readable.ts'
import {
  account,
  type SubscriptionHarness,
  startSubscriptionHarness,
  untilFollowers,
} from './subscription-harness.ts'

const SOCKETS = 10_000
const PROCESSES = 2
const CHANGES = 3
/** Memory limit for all sockets together, including the server's Node and its subscription graph. */
const MAX_SOCKET_KB = 60

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const descriptors = Number(execFileSync('sh', ['-c', 'ulimit -n']).toString().trim())
// Each socket takes a file descriptor on both sides; the machine limits these.
const missing =
  descriptors < SOCKETS + 1000
    ? `not tested with ${SOCKETS} sockets: ulimit -n is ${descriptors}, at least ${SOCKETS + 1000} are needed`
    : undefined
if (missing && process.env.CI !== undefined) throw new Error(missing)
if (missing) console.warn(missing)

let harness: SubscriptionHarness
const clientProcesses: ChildProcess[] = []
beforeAll(async () => {
  harness = await startSubscriptionHarness()
})
afterAll(async () => {
  for (const client of clientProcesses) client.kill('SIGKILL')
  await harness.stop()
}, 60_000)

test.skipIf(missing)(
  '10,000 sockets receive 3 changes: 30,000 deliveries, no loss, no duplicates',
  async () => {
    await untilLogReadable(harness.service)
    collectGarbage()
    const before = process.memoryUsage().rss
    const instructions = {
      url: harness.url.replace('http', 'ws'),
      key: harness.tenant.key,
      sockets: SOCKETS / PROCESSES,
      deliveries: (SOCKETS / PROCESSES) * CHANGES,
    }
    const script = fileURLToPath(new URL('socket-clients.ts', import.meta.url))
    for (let n = 0; n < PROCESSES; n++) {
      const client = fork(script, { execArgv: [] })
      clientProcesses.push(client)
      client.send(instructions)
    }
    const opened = await Promise.all(clientProcesses.map((client) => once(client, 'message')))
    expect(opened.map(([message]) => message.opened)).toEqual([SOCKETS / 2, SOCKETS / 2])
    await expect
      .poll(() => harness.service.live.followers, { timeout: 60_000, interval: 50 })
      .toBe(SOCKETS)
    const reports = Promise.all(clientProcesses.map((client) => once(client, 'message')))
    for (let n = 0; n < CHANGES; n++) await harness.write([account(1, `change ${n}`)])
    const sums = new Map<string, number>()
    for (const [{ counts, texts }] of await reports) {
      expect(counts).toEqual([CHANGES])
      for (const [text, count] of Object.entries<number>(texts)) {
        const { website } = JSON.parse(text).payload.data.crmAccounts.record
        sums.set(website, (sums.get(website) ?? 0) + count)
      }
    }
    expect(Object.fromEntries(sums)).toEqual({
      'change 0': SOCKETS,
      'change 1': SOCKETS,
      'change 2': SOCKETS,
    })
    collectGarbage()
    const perSocketKb = (process.memoryUsage().rss - before) / 1024 / SOCKETS
    expect(perSocketKb).toBeLessThan(MAX_SOCKET_KB)
    for (const client of clientProcesses) client.kill('SIGKILL')
    await untilFollowers(harness, 0)
  },
  180_000,
)
