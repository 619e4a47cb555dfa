/** The QuickBooks connector without QuickBooks: events. */
import { describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/quickbooks/manifest.ts'

describe('a webhook', () => {
  const readEvents = (body: unknown) => connector.webhooks?.events({ headers: {}, body })
  const cloudEvent = (type: string, id: string, others = {}) => ({
    specversion: '1.0',
    id: `${type}-${id}`,
    source: 'intuit.x',
    type,
    time: '2026-03-02T09:30:00Z',
    intuitentityid: id,
    intuitaccountid: '310687',
    ...others,
  })

  test('names the records of several companies', () => {
    const body = [
      cloudEvent('qbo.invoice.created.v1', '95'),
      cloudEvent('qbo.billpayment.deleted.v1', '7', { intuitaccountid: '999' }),
      cloudEvent('qbo.employee.created.v1', '1'),
    ]
    expect(readEvents(body)).toMatchObject([
      { topic: 'accounting/invoices', remoteId: '95', kind: 'changed', company: '310687' },
      { topic: 'accounting/payments', remoteId: 'BillPayment-7', kind: 'deleted', company: '999' },
    ])
  })

  test.each([
    ['CloudEvents', [cloudEvent('qbo.customer.merged.v1', '123', { data: { deletedid: '27' } })]],
    [
      'notifications',
      {
        eventNotifications: [
          {
            realmId: '310687',
            dataChangeEvent: {
              entities: [{ name: 'Customer', id: '123', operation: 'Merge', deletedId: '27' }],
            },
          },
        ],
      },
    ],
  ])('of a merge deletes the record that the other contains (%s)', (_, body) => {
    const found = readEvents(body)
    expect(found).toMatchObject([
      { remoteId: '123', kind: 'changed', company: '310687' },
      { remoteId: '27', kind: 'deleted', company: '310687' },
    ])
    expect(new Set(found?.map(({ id }) => id)).size).toBe(2)
  })

  test('of another form is rejected', () => {
    expect(() => readEvents({ hello: 1 })).toThrow('no events')
  })
})
