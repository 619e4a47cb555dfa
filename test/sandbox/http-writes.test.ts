/** Writes to the sandbox app, over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorBody, openSandboxHarness, type Raw, type SandboxHarness } from './sandbox-harness.ts'

let harness: SandboxHarness
beforeAll(async () => {
  harness = await openSandboxHarness()
})
afterAll(() => harness.stop())

interface Variant {
  readonly id: string
  readonly price: string
}

describe('a write', () => {
  const vendor = { vendorName: 'Lantern Foods', email: 'hello@lantern.example' }

  test('creates a record, changes it, and deletes it', async () => {
    const { request, listAll } = harness
    const createdVendor = await request('POST', '/v1/vendors', { body: vendor })
    expect(createdVendor.status).toBe(201)
    const { id, version } = createdVendor.body as Raw
    expect(createdVendor.headers.get('location')).toBe(`/v1/vendors/${id}`)
    expect(createdVendor.headers.get('etag')).toBe('"1"')
    expect(createdVendor.body).toMatchObject({
      ...vendor,
      version: 1,
      vendorStatus: 'ACTIVE',
      addresses: [],
    })

    const changed = await request('PUT', `/v1/vendors/${id}`, {
      body: { email: null, vendorStatus: 'ARCHIVED' },
      headers: { 'if-match': `"${version}"` },
    })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({
      vendorName: vendor.vendorName,
      email: null,
      vendorStatus: 'ARCHIVED',
      version: 2,
      created: createdVendor.body.created,
    })
    expect(changed.body.modified > createdVendor.body.modified).toBe(true)
    expect((await request('GET', `/v1/vendors/${id}`)).body).toEqual(changed.body)

    const deletedVendor = await request('DELETE', `/v1/vendors/${id}`)
    expect(deletedVendor.status).toBe(204)
    for (const method of ['GET', 'DELETE'])
      expect((await request(method, `/v1/vendors/${id}`)).status).toBe(404)
    expect((await listAll('vendors')).some((each) => each.id === id)).toBe(false)
    const [tombstone] = await listAll('vendors', changed.body.modified).then((list) =>
      list.filter(({ deleted }) => deleted),
    )
    expect(tombstone).toMatchObject({ id, deleted: true, version: 3, vendorStatus: 'ARCHIVED' })
  })

  test('of an outdated version is rejected', async () => {
    const { request } = harness
    const { body } = await request('POST', '/v1/vendors', { body: vendor })
    const path = `/v1/vendors/${body.id}`
    const put = (ifMatch: string | undefined) =>
      request('PUT', path, {
        body: { taxNumber: 'IE1' },
        headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
      })
    expect((await put(undefined)).status).toBe(428)
    expect((await put('*')).status).toBe(400)
    const raced = await Promise.all([put('1'), put('1'), put('1')])
    expect(raced.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    expect(raced.find(({ status }) => status === 409)?.body).toEqual(errorBody('stale_version'))
    const stale = await request('DELETE', path, { headers: { 'if-match': '1' } })
    expect(stale.status).toBe(409)
    expect((await request('GET', path)).body.version).toBe(2)
  })

  test('that is invalid is rejected with the field and the reason', async () => {
    const line = { description: 'Desk', accountId: 'acc_0021', unitPrice: '10.00', quantity: 1 }
    const invoice = { customerId: 'cli_0001', issueDate: '2026-03-01', dueDate: '2026-03-31' }
    const cases: readonly (readonly [string, unknown, string, string])[] = [
      ['vendors', {}, 'required', 'vendorName'],
      ['vendors', { vendorName: 7 }, 'invalid', 'vendorName'],
      ['vendors', { vendorName: '\0' }, 'invalid', 'vendorName'],
      ['vendors', { vendorName: '\ud800' }, 'invalid', 'vendorName'],
      ['vendors', { ...vendor, colour: 'red' }, 'unknown_field', 'colour'],
      ['vendors', { ...vendor, id: 'ven_0001' }, 'unknown_field', 'id'],
      ['vendors', JSON.parse('{"vendorName":"x","__proto__":1}'), 'unknown_field', '__proto__'],
      ['vendors', { ...vendor, companyId: 'com_0099' }, 'no_such_record', 'companyId'],
      [
        'vendors',
        { ...vendor, phoneNumbers: [{ phoneNumberType: 'FAX' }] },
        'required',
        'phoneNumbers.0.phoneNumber',
      ],
      ['invoices', { ...invoice, lineItems: [] }, 'invalid', 'lineItems'],
      [
        'invoices',
        { ...invoice, lineItems: [{ ...line, quantity: -1 }] },
        'invalid',
        'lineItems.0.quantity',
      ],
      [
        'invoices',
        { ...invoice, lineItems: [{ ...line, unitPrice: 'ten' }] },
        'invalid',
        'lineItems.0.unitPrice',
      ],
      [
        'invoices',
        { ...invoice, lineItems: [{ ...line, accountingItemId: 'itm_9999' }] },
        'no_such_record',
        'lineItems.0.accountingItemId',
      ],
      [
        'invoices',
        { ...invoice, exchangeRate: '999999', lineItems: [{ ...line, unitPrice: '99999999.00' }] },
        'too_large',
        'lineItems',
      ],
      [
        'payments',
        { transactionDate: '2026-03-01', totalAmount: '1.00' },
        'required',
        'customerId',
      ],
      [
        'orders',
        { lineItems: [{ productId: 'prd_0001', variantId: 'var_9999', quantity: 1 }] },
        'no_such_record',
        'lineItems.0.variantId',
      ],
      [
        'products',
        { productName: 'x', variants: [{ id: 'var_0001', title: 'x', price: '1.00' }] },
        'no_such_record',
        'variants.0.id',
      ],
    ]
    for (const [kind, body, reason, field] of cases) {
      const response = await harness.request('POST', `/v1/${kind}`, { body })
      expect(response.body, `${kind} ${field}`).toEqual(errorBody(reason, field))
      expect(response.status).toBe(422)
    }
    for (const body of ['', '{', '[]', 'null', '"x"'])
      expect((await harness.request('POST', '/v1/vendors', { body })).status).toBe(400)
    const huge = JSON.stringify({ vendorName: 'x'.repeat(1_000_001) })
    expect((await harness.request('POST', '/v1/vendors', { body: huge })).status).toBe(413)
  })

  test('of a field that the sandbox computes is rejected', async () => {
    const { request } = harness
    const receivable = await request('DELETE', '/v1/ledger_accounts/acc_0004')
    expect([receivable.status, receivable.body]).toEqual([409, errorBody('in_use')])
    const response = await request('PUT', '/v1/ledger_accounts/acc_0001', {
      body: { accountType: 'EXPENSE' },
      headers: {
        'if-match': String((await request('GET', '/v1/ledger_accounts/acc_0001')).body.version),
      },
    })
    expect([response.status, response.body]).toEqual([422, errorBody('fixed', 'accountType')])
  })

  test('of a payment settles its invoice and moves the ledger, and its deletion undoes both', async () => {
    const { request } = harness
    const line = { description: 'Desk', accountId: 'acc_0021', unitPrice: '100.00', quantity: 3 }
    const { body: invoice } = await request('POST', '/v1/invoices', {
      body: {
        customerId: 'cli_0001',
        issueDate: '2026-03-01',
        dueDate: '2026-03-31',
        lineItems: [line],
        discount_percent: '10',
      },
    })
    expect(invoice).toMatchObject({
      subTotal: '300.00',
      totalDiscount: '30.00',
      totalTaxAmount: '62.10',
      totalAmount: '332.10',
      balance: '332.10',
      state: 'open',
    })
    const balanceOf = async (id: string) =>
      Number((await request('GET', `/v1/ledger_accounts/${id}`)).body.currentBalance)
    const before = await Promise.all(['acc_0001', 'acc_0004'].map(balanceOf))
    const { body: payment } = await request('POST', '/v1/payments', {
      body: { invoice: invoice.id, totalAmount: '332.10', transactionDate: '2026-03-02' },
    })
    expect(payment).toMatchObject({ customerId: 'cli_0001', vendorId: null })
    const paid = await request('GET', `/v1/invoices/${invoice.id}`)
    expect(paid.body).toMatchObject({
      state: 'paid',
      balance: '0.00',
      paidOnDate: '2026-03-02',
      version: 2,
    })
    const after = await Promise.all(['acc_0001', 'acc_0004'].map(balanceOf))
    expect(after[0]).toBeCloseTo((before[0] ?? 0) + 332.1, 6)
    expect(after[1]).toBeCloseTo((before[1] ?? 0) - 332.1, 6)

    await request('DELETE', `/v1/payments/${payment.id}`)
    const open = await request('GET', `/v1/invoices/${invoice.id}`)
    expect(open.body).toMatchObject({ state: 'open', balance: '332.10', paidOnDate: null })
    expect(await Promise.all(['acc_0001', 'acc_0004'].map(balanceOf))).toEqual(before)
  })

  test('of a shipment shows on its order, and an order keeps the price at its time', async () => {
    const { request } = harness
    const [product] = (await harness.listAll('products')) as (Raw & { variants: Variant[] })[]
    if (!product) throw new Error('The shop has no products.')
    const [variant] = product.variants
    const { body: order } = await request('POST', '/v1/orders', {
      body: {
        customer: { customerId: 'sho_0001' },
        lineItems: [{ productId: product.id, variantId: variant?.id, quantity: 2 }],
      },
    })
    const [item] = order.lineItems
    expect(item).toMatchObject({ price: variant?.price, quantity: 2 })
    const ship = (quantity: number) =>
      request('POST', '/v1/shipments', {
        body: { orderId: order.id, lineItems: [{ lineItemId: item.id, quantity }] },
      })
    const readOrder = async () => (await request('GET', `/v1/orders/${order.id}`)).body
    const { body: first } = await ship(1)
    expect(first.lineItems[0]).toMatchObject({ variantId: variant?.id, sku: item.sku })
    expect((await readOrder()).fulfillmentStatus).toBe('partial')
    await ship(1)
    expect((await readOrder()).fulfillmentStatus).toBe('shipped')
    await request('DELETE', `/v1/shipments/${first.id}`)
    expect((await readOrder()).fulfillmentStatus).toBe('partial')

    const variants = product.variants.map((each) => ({ ...each, price: '999.00' }))
    await request('PUT', `/v1/products/${product.id}`, {
      body: { variants },
      headers: { 'if-match': String(product.version) },
    })
    const current = await readOrder()
    const { body: changed } = await request('PUT', `/v1/orders/${order.id}`, {
      body: { totalDiscount: '1.00' },
      headers: { 'if-match': String(current.version) },
    })
    expect(changed.lineItems).toEqual(order.lineItems)
    expect(Number(changed.totalPrice)).toBeLessThan(Number(order.totalPrice))
  })

  test('may keep a reference to a deleted record, but not add one', async () => {
    const { request } = harness
    const { body: organization } = await request('POST', '/v1/organizations', {
      body: { accountName: 'Gone' },
    })
    const { body: person } = await request('POST', '/v1/people', {
      body: { lastName: 'Quinn', account: organization.id },
    })
    await request('DELETE', `/v1/organizations/${organization.id}`)
    const updated = await request('PUT', `/v1/people/${person.id}`, {
      body: { job_title: 'Founder' },
      headers: { 'if-match': '1' },
    })
    expect([updated.status, updated.body.account]).toEqual([200, organization.id])
    const added = await request('POST', '/v1/people', {
      body: { lastName: 'Ueda', account: organization.id },
    })
    expect([added.status, added.body]).toEqual([422, errorBody('no_such_record', 'account')])
  })
})
