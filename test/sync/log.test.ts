/** The log of an app that fails and recovers. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAppClient } from '../../src/outbound/http.ts'
import { quickClient } from './recording-log.ts'
import { openSyncHarness, type SyncHarness, TOPIC } from './sync-harness.ts'

let harness: SyncHarness
beforeEach(async () => {
  harness = await openSyncHarness()
  harness.app.fill(5)
})
afterEach(() => harness.close())

/** An address at which nothing listens. */
const findUnusedAddress = async (): Promise<string> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a server on TCP
  server.close()
  await once(server, 'close')
  return `127.0.0.1:${port}`
}

const moveApp = (address: string) =>
  harness.database.prisma.credential.updateMany({
    data: { values: { url: address, token: harness.app.settings.token } },
  })

/** The lines about runs at info level or above. */
const listLines = (): readonly string[] =>
  harness.log.lines.filter((line) => /^(info|warn|error) .*sync/.test(line))

test('an outage of an app is one line with its cause, and its recovery another', async () => {
  const appClient = createAppClient({
    ...quickClient,
    allowPrivateAddresses: true,
    breakAfter: 1,
    halfOpenAfterMs: 60_000,
  })
  const engine = harness.engine({ appClient })
  await engine.syncNow(harness.credentialId)
  expect(listLines()).toEqual([expect.stringMatching(/^info first sync completed .*created: 5/s)])
  expect(listLines()[0]).toContain(TOPIC)

  const down = await findUnusedAddress()
  await moveApp(`http://${down}`)
  for (let run = 0; run < 3; run++)
    await expect(engine.syncNow(harness.credentialId)).rejects.toThrow()
  const cause = `ECONNREFUSED ${down}; requests are paused for some seconds`
  const [, failed, ...more] = listLines()
  expect(more).toEqual([])
  expect(failed).toMatch(/^warn sync run failed .*failures: 1,/s)
  expect(failed).toContain(`reason: '${cause}'`)
  expect(failed).toContain(harness.credentialId)
  expect(await harness.state()).toMatchObject({ failures: 3, failure: cause })
  const [event] = (await harness.readLog()).filter(({ topic }) => topic === 'sync/failed')
  expect(event?.record).toMatchObject({ code: 'APP_UNAVAILABLE', reason: cause })

  await moveApp(harness.app.url)
  await engine.syncNow(harness.credentialId)
  expect(listLines().slice(2)).toEqual([
    expect.stringMatching(/^info sync recovered .*failures: 3/s),
  ])
  await engine.syncNow(harness.credentialId)
  expect(listLines()).toHaveLength(3)
  await engine.stop()
  await appClient.stop()
})

test('a connection that breaks is reported without waiting for the circuit breaker', async () => {
  const down = await findUnusedAddress()
  await moveApp(`http://${down}`)
  await expect(harness.engine().syncNow(harness.credentialId)).rejects.toThrow()
  expect(await harness.state()).toMatchObject({ failure: `ECONNREFUSED ${down}` })
})

test('a rate limit is not a warning', async () => {
  const engine = harness.engine()
  for (let run = 0; run < 2; run++) {
    const limit = { kind: 'status', status: 429, headers: { 'retry-after': '3600' } } as const
    harness.app.faults.push(limit)
    await expect(engine.syncNow(harness.credentialId)).rejects.toThrow()
  }
  expect(listLines()).toEqual([expect.stringMatching(/^info sync run failed .*APP_RATE_LIMITED/s)])
})
