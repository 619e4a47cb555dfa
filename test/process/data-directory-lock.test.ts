/** The lock of a data directory: one process holds it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { lockDataDirectory } from '../../src/store/database/embedded/data-directory-lock.ts'
import { createDataDir, endHosts, endWith, startProcess, waitForMessage } from './hosts.ts'
import type { LockOutcome } from './lock-contender.ts'

afterEach(endHosts)

test('a data directory is locked once and free after its release', async () => {
  const dataDir = await createDataDir()
  const lock = await lockDataDirectory(dataDir)
  expect(JSON.parse(await readFile(join(dataDir, 'lock'), 'utf8'))).toMatchObject({
    pid: process.pid,
    since: expect.stringMatching(/Z$/),
  })
  await expect(lockDataDirectory(dataDir)).rejects.toMatchObject({
    code: 'DATA_DIRECTORY_IN_USE',
    holder: { pid: process.pid },
  })
  lock.release()
  lock.release()
  const again = await lockDataDirectory(dataDir)
  again.release()
})

test('exactly one of 20 processes takes over from a killed one, and the other 19 name it', async () => {
  const dataDir = await createDataDir()
  const start = async () => {
    const child = startProcess('lock-contender.ts', [dataDir])
    await waitForMessage(child, (message) => message === 'ready' || undefined)
    return child
  }
  let contenders = await Promise.all(Array.from({ length: 24 }, start))
  for (let round = 0; round < 5; round++) {
    const outcomes = await Promise.all(
      contenders.slice(0, 20).map((child) => {
        const outcome = waitForMessage(child, (message: LockOutcome) => message)
        child.send('lock')
        return outcome
      }),
    )
    const winners = contenders.filter((_, index) => outcomes[index]?.held)
    expect(winners).toHaveLength(1)
    const [winner] = winners
    if (winner === undefined) return
    const named = outcomes.flatMap((outcome) => (outcome.held ? [] : [outcome.heldBy]))
    expect(named).toEqual(Array.from({ length: 19 }, () => winner.pid))
    await endWith(winner, 'SIGKILL')
    contenders = contenders.filter((child) => child !== winner)
  }
})
