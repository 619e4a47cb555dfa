/** A replay of changes that the log no longer has is rejected by name, never reported as sent. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { pruneChanges } from '../../src/store/changes/changes.ts'
import { callOver, type Input, transports } from '../support/operations.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type TestService } from '../support/service.ts'
import { untilLogReadable } from '../support/until-log-readable.ts'

const accounts = catalogue.get('crm/accounts')
const HOUR_MS = 3_600_000
const hoursAgo = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString()

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

test.each(transports)(
  'over %s, a replay starts only if the log has all of its changes',
  async (transport) => {
    const call = callOver(service, transport)
    const { prisma } = service.database
    const credentialId = randomUUID()
    const tenant = await service.createTenant('development', [credentialId], randomUUID())
    const { environmentId } = tenant
    const newWebhook = { address: 'https://hooks.example.com/', topic: [accounts.topic] }
    const { subscriptionId } = (await call(tenant.key, 'createWebhook', newWebhook)).result
    for (const website of ['old', 'old and last', 'present'])
      await service.save(tenant, credentialId, accounts, [
        { ...sampleRecord(credentialId, accounts, 1), website },
      ])
    await untilLogReadable(service)
    const { changes } = (await call(tenant.key, 'changes', { topics: [accounts.topic] })).result
    const [old = '', last = '', present = ''] = changes.map(
      ({ cursor }: { cursor: string }) => cursor,
    )
    const presentAt: string = changes.at(-1).at
    const sent = { old, last, present }
    await prisma.webhookAttemptBatch.create({
      data: {
        subscriptionId,
        messageIds: Object.keys(sent),
        attempts: Object.values(sent).map((change) => ({
          topic: accounts.topic,
          change,
          attempt: 1,
          at: new Date().toISOString(),
          latencyMs: 1,
          status: 204,
          failure: null,
          answer: null,
        })),
      },
    })
    await prisma.$executeRaw`
    UPDATE change_log.changes SET at = at - interval '40 days'
    WHERE environment_id <> ${environmentId}::uuid OR record->>'website' IS DISTINCT FROM 'present'`
    await untilLogReadable(service)
    while ((await pruneChanges(service.database, 30)) > 0);

    const requestReplay = (input: Input) =>
      call(tenant.key, 'replayWebhook', { subscriptionId, ...input })
    const refused: [Input, number, string, string][] = [
      [{ cursor: old }, 410, 'CURSOR_EXPIRED', 'cursor'],
      [{ messageId: 'old' }, 410, 'CURSOR_EXPIRED', 'messageId'],
      [{ messageId: 'last' }, 410, 'CURSOR_EXPIRED', 'messageId'],
      [{ from: hoursAgo(50 * 24), to: hoursAgo(0) }, 400, 'INVALID_PARAMETER', 'from'],
      [{ from: hoursAgo(60 * 24), to: hoursAgo(50 * 24) }, 400, 'INVALID_PARAMETER', 'from'],
    ]
    for (const [input, status, code, field] of refused)
      expect(await requestReplay(input), JSON.stringify(input)).toMatchObject({
        status,
        code,
        fields: [field],
      })
    expect(await prisma.webhookReplay.count({ where: { subscriptionId } })).toBe(0)
    // Everything after the last deleted change is complete.
    for (const values of [
      { cursor: last },
      { messageId: 'present' },
      { from: hoursAgo(1), to: hoursAgo(-1) },
    ])
      expect(await requestReplay(values), JSON.stringify(values)).toMatchObject({ status: 200 })

    // The whole day of the change, including its last millisecond.
    const day = presentAt.slice(0, 10)
    expect(await requestReplay({ from: day, to: day })).toMatchObject({ status: 200 })

    const readStatus = async () =>
      (await call(tenant.key, 'webhookStatus', { subscriptionId })).result
    expect(await readStatus()).toMatchObject({ replays: 4, missedUntil: null })
    const missedUntil = hoursAgo(40 * 24)
    await prisma.webhookDelivery.update({ where: { subscriptionId }, data: { missedUntil } })
    expect(await readStatus()).toMatchObject({ missedUntil })
  },
)
