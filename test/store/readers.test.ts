/** Readers in many processes, next to writers that commit out of order and roll back. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { encodeChangeCursor } from '../../src/query/change-cursor.ts'
import { endOfLog } from '../../src/store/changes/changes.ts'
import { applyChanges } from '../../src/store/records/apply-changes.ts'
import { createLineWriter } from '../../src/store/records/record-lines.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { untilLogReadable } from '../support/until-log-readable.ts'

const SCRIPT = fileURLToPath(new URL('reader-process.ts', import.meta.url))
const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const READERS = 3
const WRITERS = 8
const ROUNDS = 40
const accounts = catalogue.get('crm/accounts')
const toLine = createLineWriter(accounts)

interface Read {
  readonly recordId: string
  readonly website: string
}

let service: TestService
let tenant: Tenant
const readers: { readonly child: ChildProcess; readonly read: Read[] }[] = []

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL])
})
afterAll(async () => {
  for (const { child } of readers) if (child.exitCode === null) child.kill('SIGKILL')
  await service.stop()
})

/** Resolves at the first message with this text. */
const untilMessage = (child: ChildProcess, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    child.on('message', (message) => message === text && resolve())
    child.once('exit', (code) => reject(new Error(`The reader exited with ${code}.`)))
  })

const startReader = async (cursor: string): Promise<void> => {
  const child = fork(SCRIPT, [service.url, cursor], { execArgv: [] })
  const read: Read[] = []
  readers.push({ child, read })
  // The sender is a script of this folder.
  child.on('message', (message) => typeof message === 'object' && read.push(message as Read))
  await untilMessage(child, 'started')
}

/** Writes its records again and again. @returns the committed versions, in order */
const write = async (writer: number): Promise<Read[]> => {
  const committed: Read[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const website = `round ${round}`
    const records = [1, 2, 3].map((n) => ({
      ...sampleRecord(CREDENTIAL, accounts, writer * 10 + n),
      website,
    }))
    const commits = (round + writer) % 4 !== 0
    const written = service.database.transaction(
      async (transaction) => {
        const owner = { credentialId: CREDENTIAL, environmentId: tenant.environmentId }
        await applyChanges(transaction, owner, accounts, records.map(toLine), { accept: 'all' })
        // Transactions commit in another order than their ids.
        await wait((writer * 7 + round * 13) % 23)
        if (!commits) throw new Error('rolled back')
      },
      { timeoutMs: 60_000, maxWaitMs: 60_000 },
    )
    await written.catch((error: Error) => {
      if (error.message !== 'rolled back') throw error
    })
    if (commits) committed.push(...records.map(({ id }) => ({ recordId: id, website })))
  }
  return committed
}

const listVersions = (read: readonly Read[], id: string): string[] =>
  read.filter(({ recordId }) => recordId === id).map(({ website }) => website)

test(`${READERS} processes read each change of ${WRITERS} writers once, and the changes of a record in order`, async () => {
  await untilLogReadable(service)
  const cursor = encodeChangeCursor(await endOfLog(service.database))
  await Promise.all(Array.from({ length: READERS }, () => startReader(cursor)))
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer))
  const committed = (await Promise.all(writers)).flat()
  await untilLogReadable(service)
  await Promise.all(
    readers.map(async ({ child }) => {
      const done = untilMessage(child, 'done')
      const exited = once(child, 'exit')
      child.send('end')
      await done
      await exited
    }),
  )
  const ids = new Set(committed.map(({ recordId }) => recordId))
  expect(ids.size).toBe(WRITERS * 3)
  for (const { read } of readers) {
    expect(read).toHaveLength(committed.length)
    for (const id of ids) expect(listVersions(read, id)).toEqual(listVersions(committed, id))
  }
  console.log(
    `${READERS} processes, ${WRITERS} writers: each read ${committed.length} of ${committed.length} changes once`,
  )
})
