/** What the app changes along with a written record is fresh here at once: its next change is not refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { samples } from '../sandbox/write-samples.ts'
import { type ConnectedSandbox, connectSandbox } from '../support/connected-sandbox.ts'
import { faces } from '../support/operations.ts'
import type { RecordCalls, RecordOutcome } from '../support/record-calls.ts'

let sandbox: ConnectedSandbox
beforeAll(async () => {
  sandbox = await connectSandbox()
})
afterAll(() => sandbox.stop())

const done = ({ status, record, message }: RecordOutcome) => {
  expect(status, message).toBe(200)
  return record
}

describe.each(faces)('over %s', (face) => {
  let records: RecordCalls
  beforeAll(() => {
    records = sandbox.over(face)
  })
  const order = async () =>
    done(
      await records.create('commerce/orders', {
        lineItems: [{ productId: 'prd_0001', variantId: 'var_0001', quantity: 2 }],
      }),
    )
  const statusOf = async (id: string) =>
    (await records.get('commerce/orders', id)).record.fulfillmentStatus

  test('an order is as shipped as its fulfillments say, and can be changed, without a sync', async () => {
    const { id, remoteId, fulfillmentStatus } = await order()
    await sandbox.takeChanges()
    const line = { variantId: 'var_0001', quantity: 2 }
    const made = done(
      await records.create('commerce/fulfillments', { orderId: remoteId, lineItems: [line] }),
    )
    expect(await statusOf(id)).not.toBe(fulfillmentStatus)
    expect(await sandbox.takeChanges()).toMatchObject([
      { kind: 'created', topic: 'commerce/fulfillments', remoteId: made.remoteId },
      {
        ...{ kind: 'updated', topic: 'commerce/orders', remoteId },
        fields: expect.arrayContaining(['fulfillmentStatus']),
      },
    ])
    done(await records.update('commerce/orders', id, { orderNumber: `After ${face} 1` }))

    const fewer = { lineItems: [{ ...line, quantity: 1 }] }
    done(await records.update('commerce/fulfillments', made.id, fewer))
    done(await records.update('commerce/orders', id, { orderNumber: `After ${face} 2` }))

    done(await records.remove('commerce/fulfillments', made.id))
    expect(await statusOf(id)).toBe(fulfillmentStatus)
    done(await records.update('commerce/orders', id, { orderNumber: `After ${face} 3` }))
    // A sync has nothing to add.
    await sandbox.takeChanges()
    await sandbox.sync()
    const changes = await sandbox.takeChanges()
    expect(changes.filter((change) => change.remoteId === remoteId)).toEqual([])
  })

  test('an invoice is as paid as its payments say, and its account as full', async () => {
    const topic = 'accounting/invoices'
    const invoice = done(await records.create(topic, samples[topic]?.create ?? {}))
    const accountId = 'acc_0002'
    const account = done(await records.get('accounting/accounts', accountId))
    const payment = done(
      await records.create('accounting/payments', {
        ...{ transactionDate: '2026-02-05', accountId, totalAmount: 1 },
        remoteFields: { invoice: invoice.remoteId },
      }),
    )
    const owed = async () => (await records.get(topic, invoice.id)).record.balance
    expect(Number(await owed())).toBe(Number(invoice.balance) - 1)
    const now = done(await records.get('accounting/accounts', accountId))
    expect(Number(now.currentBalance)).toBe(Number(account.currentBalance) + 1)
    done(await records.update(topic, invoice.id, { memo: `Paid in part, ${face}` }))
    const accountName = `Till of ${face}`
    done(await records.update('accounting/accounts', now.id, { accountName }))
    done(await records.remove('accounting/payments', payment.id))
    expect(await owed()).toBe(invoice.balance)
  })

  test('a record that is named and cannot be read back holds nothing up', async () => {
    const { id, remoteId } = await order()
    const fulfillment = { orderId: remoteId, lineItems: [{ variantId: 'var_0001', quantity: 1 }] }
    const made = done(await records.create('commerce/fulfillments', fulfillment))
    await sandbox.deleteInApp('orders', remoteId)
    expect(done(await records.remove('commerce/fulfillments', made.id)).remoteDeleted).toBe(true)
    expect(done(await records.get('commerce/orders', id)).remoteDeleted).toBe(true)
  })
})
