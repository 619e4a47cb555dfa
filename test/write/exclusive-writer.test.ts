/** An app without version checks gets one writer of a record at a time, across processes. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type IdempotentRequest, runIdempotently } from '../../src/api/idempotency.ts'
import { createIdempotencyStore } from '../../src/store/writes/idempotent-requests.ts'
import { purgeRecordClaims } from '../../src/store/writes/record-claims.ts'
import { type WriterLimits, withExclusiveWriter } from '../../src/write/exclusive-writer.ts'
import { createChildren, kill } from '../support/children.ts'
import { type Transport, transports } from '../support/operations.ts'
import { defineRolodexConnector } from '../support/rolodex-connector.ts'
import { openServer } from '../support/service.ts'
import { testVault } from '../support/vault.ts'
import { CREDENTIAL, openWriteHarness, type WriteHarness } from './write-harness.ts'

type Server = Pick<Awaited<ReturnType<typeof openServer>>, 'server' | 'database' | 'stop'>

let harness: WriteHarness
let other: Server
beforeAll(async () => {
  harness = await openWriteHarness()
  const connectors = new Map([['test', defineRolodexConnector(harness.rolodex.url)]])
  other = await openServer(harness.service.url, { connectors, allowPrivateAddresses: true })
})
afterAll(async () => {
  await other.stop()
  await harness.stop()
})

interface Firm {
  readonly id: string
  readonly remoteId: string
  readonly updatedAt: string
}

let firm: Firm
beforeEach(async () => {
  const body = { accountName: 'Firm', accountOwner: 'First' }
  firm = (await harness.write('POST', '/accounts', body)).json().account
  // Long enough that all writers compare versions before the first one writes.
  harness.rolodex.delayMs = 50
})
afterEach(() => {
  harness.rolodex.delayMs = 0
})

interface Written {
  readonly code: string | undefined
  readonly owner: string | undefined
}

/** Changes the firm over one API; `seen`: the version that the caller has read. */
const change = async (
  transport: Transport,
  { server }: Pick<Server, 'server'>,
  accountOwner: string,
  seen?: string,
): Promise<Written> => {
  const headers = { authorization: `Bearer ${harness.tenant.key}` }
  const input = { accountName: 'Firm', accountOwner }
  if (transport === 'REST') {
    const url = `/2024-03/one/crm/accounts/${firm.id}?credentialId=${CREDENTIAL}`
    const response = await server.inject({
      method: 'PUT',
      url,
      payload: input,
      headers: { ...headers, ...(seen && { 'if-match': `"${seen}"` }) },
    })
    const { error, account } = response.json()
    return { code: error?.code, owner: account?.accountOwner }
  }
  const query = `mutation ($credentialId: ID!, $id: ID!, $input: CrmAccountUpdateInput!, $seen: DateTime) {
    updateCrmAccount(credentialId: $credentialId, id: $id, input: $input, ifUpdatedAt: $seen) {
      account { accountOwner } userErrors { code } } }`
  const variables = { credentialId: CREDENTIAL, id: firm.id, input, seen }
  const response = await server.inject({
    method: 'POST',
    url: '/graphql',
    payload: { query, variables },
    headers,
  })
  const { data, errors = [] } = response.json()
  const { account, userErrors = [] } = data?.updateCrmAccount ?? {}
  return {
    code: errors[0]?.extensions.code ?? userErrors[0]?.code,
    owner: account?.accountOwner,
  }
}

const names = ['A', 'B', 'C', 'D', 'E']
/** Sends all writes at the same time, alternating between two processes. */
const changeAll = (transport: Transport, seen?: string): Promise<Written[]> =>
  Promise.all(
    names.map((name, index) =>
      change(transport, index % 2 === 0 ? harness.service : other, name, seen),
    ),
  )
const listClaims = () => harness.service.database.prisma.recordClaim.findMany()

describe.each(transports)('over %s', (transport) => {
  test('one of several writers with the same version succeeds, and the others get a conflict', async () => {
    const written = await changeAll(transport, firm.updatedAt)
    const codes = written.map(({ code }) => code ?? 'done')
    expect(codes.toSorted()).toEqual([...Array(4).fill('WRITE_CONFLICT'), 'done'])
    const winner = written.find(({ code }) => code === undefined)?.owner
    expect(winner).toBe(names[codes.indexOf('done')])
    expect(harness.rolodex.cards.get(firm.remoteId)).toMatchObject({
      version: 2,
      values: { owner: winner },
    })
    expect(await listClaims()).toEqual([])
  })

  test('each response holds the values of its own write', async () => {
    expect(await changeAll(transport)).toEqual(names.map((owner) => ({ code: undefined, owner })))
  })
})

test('a deletion waits for the change before it', async () => {
  const applied = Promise.withResolvers<void>()
  const mayRespond = Promise.withResolvers<void>()
  harness.rolodex.onResponse = async (request) => {
    if (!request.startsWith('PUT')) return
    applied.resolve()
    await mayRespond.promise
  }
  const changing = change('REST', other, 'Mine')
  await applied.promise
  harness.service.takeStatements()
  const removing = harness.write('DELETE', `/accounts/${firm.id}`)
  const isClaiming = () =>
    harness.service.takeStatements().some((text) => text.includes('INSERT INTO record_claims'))
  await expect.poll(isClaiming).toBe(true)
  mayRespond.resolve()
  expect(await changing).toEqual({ code: undefined, owner: 'Mine' })
  expect((await removing).json().account).toMatchObject({
    accountOwner: 'Mine',
    remoteDeleted: true,
  })
  harness.rolodex.onResponse = undefined
})

test('an app with versions is written without a claim', async () => {
  const { contact } = (await harness.write('POST', '/contacts', { lastName: 'First' })).json()
  harness.service.takeStatements()
  await harness.write('PUT', `/contacts/${contact.id}`, { lastName: 'Mine' })
  const statements = harness.service.takeStatements()
  expect(statements.filter((text) => text.includes('record_claims'))).toEqual([])
})

describe('a claim', () => {
  const children = createChildren()
  afterEach(async () => {
    await children.killAll()
    await harness.service.database.prisma.recordClaim.deleteMany()
  })
  const claimKey = () => ({ credentialId: CREDENTIAL, topic: 'crm/accounts', recordId: firm.id })
  const LONG: WriterLimits = { claimMs: 600_000, timeoutMs: 60_000 }

  const holdInAnotherProcess = async (claimMs: number) => {
    const script = fileURLToPath(new URL('claim-holder.ts', import.meta.url))
    const args = [harness.service.url, JSON.stringify(claimKey()), String(claimMs)]
    const child = children.start(script, args)
    await once(child, 'message')
    return child
  }

  test('of a killed process expires', async () => {
    await kill(await holdInAnotherProcess(1000))
    const work = withExclusiveWriter(other.database, claimKey(), async () => 'done', LONG)
    await expect(work).resolves.toBe('done')
    expect(await listClaims()).toEqual([])
  })

  test('is kept for as long as the work takes', async () => {
    const { database } = harness.service
    const end = Promise.withResolvers<void>()
    const work = withExclusiveWriter(database, claimKey(), () => end.promise, {
      ...LONG,
      claimMs: 3000,
    })
    const readHeldUntilMs = async () => (await listClaims())[0]?.heldUntil.getTime() ?? 0
    await expect.poll(readHeldUntilMs).toBeGreaterThan(0)
    const first = await readHeldUntilMs()
    await expect.poll(readHeldUntilMs).toBeGreaterThan(first)
    end.resolve()
    await work
  })

  test('that is lost ends the work before it writes', async () => {
    const { database } = harness.service
    let isWritten = false
    const work = async (claim: AbortSignal) => {
      await database.prisma.recordClaim.updateMany({ data: { holder: randomUUID() } })
      await once(claim, 'abort')
      claim.throwIfAborted()
      isWritten = true
    }
    await expect(
      withExclusiveWriter(database, claimKey(), work, { ...LONG, claimMs: 1000 }),
    ).rejects.toMatchObject({ code: 'WRITE_IN_FLIGHT' })
    expect(isWritten).toBe(false)
    // The claim of the other write remains.
    expect(await listClaims()).toHaveLength(1)
  })

  test('that lasts too long is reported as such, and that response is not stored', async () => {
    await holdInAnotherProcess(LONG.claimMs)
    const { database } = other
    const writeLate = () =>
      withExclusiveWriter(database, claimKey(), async () => 'done', { ...LONG, timeoutMs: 0 })
    await expect(writeLate()).rejects.toMatchObject({ code: 'WRITE_IN_FLIGHT', retryAfterMs: 1000 })
    const requests = createIdempotencyStore(database, testVault)
    const { environmentId } = harness.tenant
    const request: IdempotentRequest = {
      caller: { kind: 'key', keyId: firm.id, environmentId, environment: 'development' },
      key: 'too-long',
      scope: 'rest',
      content: 'a change',
      isLocal: false,
    }
    const send = (work: () => Promise<string>) =>
      runIdempotently(
        requests,
        request,
        async () => ({ status: 200, body: await work() }),
        ({ status, message }) => ({ status, body: message }),
      )
    await expect(send(writeLate)).rejects.toMatchObject({ code: 'WRITE_IN_FLIGHT' })
    await expect(send(async () => 'done')).resolves.toMatchObject({ body: 'done' })
  })

  test('without a holder is removed', async () => {
    const { prisma } = harness.service.database
    const holder = firm.id
    const ends = { past: new Date(0), future: new Date(Date.now() + LONG.claimMs) }
    for (const [topic, heldUntil] of Object.entries(ends))
      await prisma.recordClaim.create({ data: { ...claimKey(), topic, holder, heldUntil } })
    await purgeRecordClaims(harness.service.database)
    expect(await listClaims()).toMatchObject([{ topic: 'future' }])
  })
})
