/** Records that the app changes along with a write are stored immediately, so their next change is no conflict. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { samples } from '../sandbox/write-samples.ts'
import { type ConnectedSandbox, connectSandbox } from '../support/connected-sandbox.ts'
import { transports } from '../support/operations.ts'
import type { RecordCalls, RecordOutcome } from '../support/record-calls.ts'

let sandbox: ConnectedSandbox
beforeAll(async () => {
  sandbox = await connectSandbox()
})
afterAll(() => sandbox.stop())

const expectSuccess = ({ status, record, message }: RecordOutcome) => {
  expect(status, message).toBe(200)
  return record
}

describe.each(transports)('over %s', (transport) => {
  let records: RecordCalls
  beforeAll(() => {
    records = sandbox.over(transport)
  })
  const order = async () =>
    expectSuccess(
      await records.create('commerce/orders', {
        lineItems: [{ productId: 'prd_0001', variantId: 'var_0001', quantity: 2 }],
      }),
    )
  const statusOf = async (id: string) =>
    (await records.get('commerce/orders', id)).record.fulfillmentStatus

  test('an order shows the status from its fulfillments and can be changed without a sync', async () => {
    const { id, remoteId, fulfillmentStatus } = await order()
    await sandbox.takeChanges()
    const line = { variantId: 'var_0001', quantity: 2 }
    const created = expectSuccess(
      await records.create('commerce/fulfillments', { orderId: remoteId, lineItems: [line] }),
    )
    expect(await statusOf(id)).not.toBe(fulfillmentStatus)
    expect(await sandbox.takeChanges()).toMatchObject([
      { kind: 'created', topic: 'commerce/fulfillments', remoteId: created.remoteId },
      {
        kind: 'updated',
        topic: 'commerce/orders',
        remoteId,
        fields: expect.arrayContaining(['fulfillmentStatus']),
      },
    ])
    expectSuccess(
      await records.update('commerce/orders', id, { orderNumber: `After ${transport} 1` }),
    )

    const fewer = { lineItems: [{ ...line, quantity: 1 }] }
    expectSuccess(await records.update('commerce/fulfillments', created.id, fewer))
    expectSuccess(
      await records.update('commerce/orders', id, { orderNumber: `After ${transport} 2` }),
    )

    expectSuccess(await records.remove('commerce/fulfillments', created.id))
    expect(await statusOf(id)).toBe(fulfillmentStatus)
    expectSuccess(
      await records.update('commerce/orders', id, { orderNumber: `After ${transport} 3` }),
    )
    // A sync finds nothing to add.
    await sandbox.takeChanges()
    await sandbox.sync()
    const changes = await sandbox.takeChanges()
    expect(changes.filter((change) => change.remoteId === remoteId)).toEqual([])
  })

  test('an invoice shows what its payments paid, and its account the new balance', async () => {
    const topic = 'accounting/invoices'
    const invoice = expectSuccess(await records.create(topic, samples[topic]?.create ?? {}))
    const accountId = 'acc_0002'
    const account = expectSuccess(await records.get('accounting/accounts', accountId))
    const payment = expectSuccess(
      await records.create('accounting/payments', {
        transactionDate: '2026-02-05',
        accountId,
        totalAmount: 1,
        remoteFields: { invoice: invoice.remoteId },
      }),
    )
    const readBalance = async () => (await records.get(topic, invoice.id)).record.balance
    expect(Number(await readBalance())).toBe(Number(invoice.balance) - 1)
    const now = expectSuccess(await records.get('accounting/accounts', accountId))
    expect(Number(now.currentBalance)).toBe(Number(account.currentBalance) + 1)
    expectSuccess(await records.update(topic, invoice.id, { memo: `Paid in part, ${transport}` }))
    const accountName = `Till of ${transport}`
    expectSuccess(await records.update('accounting/accounts', now.id, { accountName }))
    expectSuccess(await records.remove('accounting/payments', payment.id))
    expect(await readBalance()).toBe(invoice.balance)
  })

  test('an affected record that cannot be read back does not hold up the write', async () => {
    const { id, remoteId } = await order()
    const fulfillment = { orderId: remoteId, lineItems: [{ variantId: 'var_0001', quantity: 1 }] }
    const created = expectSuccess(await records.create('commerce/fulfillments', fulfillment))
    await sandbox.deleteInApp('orders', remoteId)
    expect(
      expectSuccess(await records.remove('commerce/fulfillments', created.id)).remoteDeleted,
    ).toBe(true)
    expect(expectSuccess(await records.get('commerce/orders', id)).remoteDeleted).toBe(true)
  })
})
