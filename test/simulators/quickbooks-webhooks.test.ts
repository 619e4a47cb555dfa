/** The QuickBooks simulator: webhooks. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createQuickBooks, type QuickBooksStartOptions } from './quickbooks/start.ts'

const NOON = Date.parse('2026-11-23T20:00:00Z')

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

const receive = async (options: QuickBooksStartOptions = {}) => {
  const bodies: string[] = []
  const signatures: unknown[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    bodies.push(Buffer.concat(chunks).toString())
    signatures.push(request.headers['intuit-signature'])
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  const clock = { startMs: NOON, frozen: true }
  const simulator = createQuickBooks({ clock, ...options })
  const company = simulator.addCompany('1', 'Acme')
  // A server that listens on a TCP port has an address of this type.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  simulator.webhooks.subscribe({ id: 'app', url, secret: 'verifier' })
  simulator.clock.advance(60_000)
  await simulator.webhooks.deliver()
  bodies.length = 0
  signatures.length = 0
  const deliver = async () => {
    simulator.clock.advance(5000)
    await simulator.webhooks.deliver()
    return bodies.splice(0).map((body) => JSON.parse(body))
  }
  return { simulator, company, deliver, bodies, signatures }
}

test('webhooks are CloudEvents, signed over the body, of several companies in one message', async () => {
  const { simulator, company, bodies, signatures } = await receive()
  company.create('Vendor', { DisplayName: 'A' })
  const other = simulator.addCompany('2', 'Other')
  const customer = other.create('Customer', { DisplayName: 'Amy' })
  const payment = other.create('Payment', {
    CustomerRef: { value: String(customer.Id) },
    TotalAmt: 5,
  })
  other.void('Payment', String(payment.Id))
  other.delete('Payment', String(payment.Id))
  simulator.clock.advance(5000)
  await simulator.webhooks.deliver()
  const [body = ''] = bodies
  expect(signatures).toEqual([createHmac('sha256', 'verifier').update(body).digest('base64')])
  const events = JSON.parse(body)
  expect(events[0]).toMatchObject({
    specversion: '1.0',
    type: 'qbo.vendor.created.v1',
    intuitentityid: '1',
    intuitaccountid: '1',
    time: '2026-11-23T20:01:00.000Z',
  })
  const types = events.map(
    ({ type, intuitaccountid }: Record<string, string>) => `${intuitaccountid} ${type}`,
  )
  expect(types.slice(-3)).toEqual([
    '2 qbo.payment.created.v1',
    '2 qbo.payment.voided.v1',
    '2 qbo.payment.deleted.v1',
  ])
  expect(types.join()).not.toMatch(/tax|companyinfo/)
})

test('webhooks name the survivor of a merge, whose references are rewritten', async () => {
  const { company, deliver } = await receive()
  for (const DisplayName of ['Amy', 'Amy Lee']) company.create('Customer', { DisplayName })
  const payment = company.create('Payment', { CustomerRef: { value: '1' }, TotalAmt: 5 })
  await deliver()
  company.merge('Customer', '1', '2')
  expect(company.find('Customer', '1')).toBeUndefined()
  expect(company.find('Payment', String(payment.Id))).toMatchObject({
    CustomerRef: { value: '2', name: 'Amy Lee' },
    SyncToken: '1',
  })
  expect(company.find('Customer', '2')?.Balance).toBe(-5)
  const [events] = await deliver()
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'qbo.customer.merged.v1',
      intuitentityid: '2',
      data: { deletedid: '1' },
    }),
  )
})

test('webhooks can have the format that preceded CloudEvents', async () => {
  const { company, deliver } = await receive({ webhookFormat: 'notifications' })
  company.create('Vendor', { DisplayName: 'A' })
  const [{ eventNotifications }] = await deliver()
  expect(eventNotifications).toEqual([
    {
      realmId: '1',
      dataChangeEvent: {
        entities: [
          {
            name: 'Vendor',
            id: '1',
            operation: 'Create',
            lastUpdated: '2026-11-23T20:01:00.000Z',
          },
        ],
      },
    },
  ])
})
