/** PATCH and GraphQL's updates: omitted fields keep their values, null clears a field, no field is required. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { samples } from '../sandbox/write-samples.ts'
import { type ConnectedSandbox, connectSandbox } from '../support/connected-sandbox.ts'
import { transports } from '../support/operations.ts'
import type { RecordCalls } from '../support/record-calls.ts'
import { openWriteHarness, type WriteHarness } from './write-harness.ts'

let sandbox: ConnectedSandbox
beforeAll(async () => {
  sandbox = await connectSandbox()
})
afterAll(() => sandbox.stop())

const send = (method: 'PUT' | 'PATCH', path: string, body?: object, headers = {}) =>
  sandbox.service.send(
    sandbox.tenant.key,
    method,
    `/2024-03/one${path}?credentialId=${sandbox.credentialId}`,
    body,
    headers,
  )

/** The details of a conflict that is about this field. */
const expectedDetails = (field: string, stored: unknown, current: unknown) =>
  expect.arrayContaining([expect.objectContaining({ field, stored, current })])

const VENDORS = 'accounting/vendors'
const withRequired = catalogue.resources.filter(
  ({ verbs, fields }) =>
    verbs.includes('update') && Object.values(fields).some(({ required }) => required),
)

describe.each(transports)('over %s', (transport) => {
  let records: RecordCalls
  beforeAll(() => {
    records = sandbox.over(transport)
  })
  const createRecord = async (topic: string, input: object) => {
    const { record, message } = await records.create(topic, input)
    expect(record, message).toBeDefined()
    await sandbox.takeChanges()
    return record
  }

  test('an omitted field keeps its value, also a required one, and null clears a field', async () => {
    const vendor = await createRecord(VENDORS, {
      vendorName: 'Quay Ltd',
      email: 'post@quay.example',
      taxNumber: 'IE1',
    })
    const changed = await records.patch(VENDORS, vendor.id, { email: null })
    expect(changed).toMatchObject({
      status: 200,
      record: { id: vendor.id, vendorName: 'Quay Ltd', email: null, taxNumber: 'IE1' },
    })
    const renamed = await records.patch(VENDORS, vendor.remoteId, { vendorName: 'Quay plc' })
    expect(renamed.record).toMatchObject({ vendorName: 'Quay plc', email: null, taxNumber: 'IE1' })
    expect(await sandbox.readInApp('vendors', vendor.remoteId)).toMatchObject({
      vendorName: 'Quay plc',
    })
  })

  test.each(withRequired.map((resource) => [resource.topic, resource] as const))(
    '%s: a required field may be omitted; with null it is rejected by name, and nothing is sent',
    async (topic, { fields }) => {
      const { create = {}, update = {} } = samples[topic] ?? {}
      const record = await createRecord(topic, create)
      const [name] = Object.entries(fields).flatMap(([field, { required }]) =>
        required ? [field] : [],
      )
      const required = String(name)
      const change = Object.entries(update).find(
        ([field, value]) => field !== required && typeof value === 'string',
      )
      const others = Object.fromEntries(change ? [change] : [])
      expect(Object.keys(others)).toHaveLength(1)
      const refused = await records.patch(topic, record.id, { ...others, [required]: null })
      expect(refused).toMatchObject({
        status: 400,
        code: 'INVALID_PARAMETER',
        details: [{ field: required, expected: 'a value; omit the field to keep it' }],
      })
      expect(await sandbox.takeChanges()).toEqual([])
      const changed = await records.patch(topic, record.id, others)
      expect(changed.status, changed.message).toBe(200)
      expect(changed.record[required]).toBe(create[required])
    },
  )

  test('an update without fields returns the record and writes nothing', async () => {
    const vendor = await createRecord(VENDORS, { vendorName: 'Same Ltd' })
    const { version } = await sandbox.readInApp('vendors', vendor.remoteId)
    for (const input of [{}, { remoteFields: {} }])
      expect(await records.patch(VENDORS, vendor.id, input)).toMatchObject({
        status: 200,
        record: vendor,
      })
    expect((await sandbox.readInApp('vendors', vendor.remoteId)).version).toBe(version)
    expect(await sandbox.takeChanges()).toEqual([])
  })

  test('an update without fields is checked like every other', async () => {
    const vendor = await createRecord(VENDORS, { vendorName: 'Checked Ltd' })
    const old = '2020-01-01T00:00:00.000Z'
    expect(await records.patch(VENDORS, vendor.id, {}, old)).toMatchObject({
      status: 409,
      code: 'WRITE_CONFLICT',
      details: [{ field: 'updatedAt' }],
    })
    expect((await records.patch(VENDORS, 'ven_9999', {})).code).toBe('NOT_FOUND')
    await sandbox.changeInApp('vendors', vendor.remoteId, { vendorName: 'Elsewhere Ltd' })
    expect(await records.patch(VENDORS, vendor.id, {})).toMatchObject({
      status: 409,
      details: expectedDetails('vendorName', 'Checked Ltd', 'Elsewhere Ltd'),
    })
    await sandbox.deleteInApp('vendors', vendor.remoteId)
    for (const _again of [1, 2])
      expect(await records.patch(VENDORS, vendor.id, {})).toMatchObject({
        status: 409,
        details: [{ field: 'remoteDeleted' }],
      })
  })

  test('a change in the app since the last sync is a conflict with both versions', async () => {
    const vendor = await createRecord(VENDORS, { vendorName: 'Mine Ltd' })
    await sandbox.changeInApp('vendors', vendor.remoteId, { vendorName: 'Theirs Ltd' })
    const stale = await records.patch(VENDORS, vendor.id, { email: 'a@quay.example' })
    expect(stale).toMatchObject({
      status: 409,
      code: 'WRITE_CONFLICT',
      details: expectedDetails('vendorName', 'Mine Ltd', 'Theirs Ltd'),
    })
    const done = await records.patch(VENDORS, vendor.id, { email: 'a@quay.example' })
    expect(done.record).toMatchObject({ vendorName: 'Theirs Ltd', email: 'a@quay.example' })
  })

  test('an unknown or unsupported field is rejected by name', async () => {
    const bills = 'accounting/bills'
    const bill = await createRecord(bills, samples[bills]?.create ?? {})
    expect(await records.patch(bills, bill.id, { balance: 1 })).toMatchObject({
      code: 'FIELD_NOT_SUPPORTED',
      details: [{ field: 'balance' }],
    })
    expect((await records.patch(bills, bill.id, { balanc: 1 })).status).toBe(400)
  })
})

describe('over REST', () => {
  test('PUT still requires what it requires', async () => {
    const refused = await send('PUT', '/accounting/vendors/ven_0001', { email: 'a@quay.example' })
    expect(refused.statusCode).toBe(400)
    expect(refused.json().error.details).toMatchObject([{ field: 'vendorName' }])
  })

  test('a body that is missing or not an object is rejected', async () => {
    for (const body of [undefined, []]) {
      const refused = await send('PATCH', '/accounting/vendors/ven_0001', body)
      expect(refused.json().error, refused.body).toMatchObject({
        code: 'INVALID_PARAMETER',
        details: [{ field: 'body' }],
      })
    }
  })

  test('a record below another is updated at its path, only with the right parent', async () => {
    const path = (order: string) => `/commerce/orders/${order}/fulfillments`
    const listed = await sandbox.service.rest(
      sandbox.tenant.key,
      `/commerce/fulfillments?pageSize=1&credentialId=${sandbox.credentialId}`,
    )
    const [{ id, orderId, carrier }] = listed.json().fulfillments
    const changed = await send('PATCH', `${path(orderId)}/${id}`, { orderId, service: 'Express' })
    expect(changed.json().fulfillment, changed.body).toMatchObject({ carrier, service: 'Express' })
    const other = await send('PATCH', `${path(orderId)}/${id}`, { orderId: 'ord_9999' })
    expect(other.json().error.details).toMatchObject([{ field: 'orderId' }])
    expect((await send('PATCH', `${path('ord_9999')}/${id}`, {})).statusCode).toBe(404)
  })

  test('the example of the documentation changes what it says, and nothing else', async () => {
    const page = readFileSync(new URL('../../docs/writing.md', import.meta.url), 'utf8')
    const [, path = '', body = ''] =
      /-X PATCH "\$URL\/2024-03\/one(\/[\w/-]+)\?credentialId=\$ID"[^']+'[^']+' -d '([^']+)'/.exec(
        page,
      ) ?? []
    const { contact: before } = (
      await sandbox.service.rest(sandbox.tenant.key, `${path}?credentialId=${sandbox.credentialId}`)
    ).json()
    const change = JSON.parse(body)
    const { contact } = (await send('PATCH', path, change)).json()
    const { updatedAt: _, remoteUpdatedAt: __, remoteFields: ___, ...kept } = before
    expect(contact).toMatchObject({ ...kept, ...change })
  })
})

describe('in an app that does not reject stale writes itself', () => {
  let harness: WriteHarness
  let id: string
  beforeAll(async () => {
    harness = await openWriteHarness()
    const created = await harness.write('POST', '/accounts', {
      accountName: 'Firm',
      accountOwner: 'A',
    })
    id = created.json().account.id
  })
  afterAll(() => harness.stop())
  const patch = (body: object, headers = {}) =>
    harness.write('PATCH', `/accounts/${id}`, body, headers)

  test('the same Idempotency-Key updates once; with PUT it is another request', async () => {
    const key = { 'idempotency-key': 'patched' }
    const first = await patch({ accountOwner: 'B' }, key)
    expect(first.json().account, first.body).toMatchObject({
      accountName: 'Firm',
      accountOwner: 'B',
    })
    await patch({ accountOwner: 'C' })
    const again = await patch({ accountOwner: 'B' }, key)
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect([again.json(), again.headers.etag]).toEqual([first.json(), first.headers.etag])
    expect((await harness.read(`/accounts/${id}`)).json().account.accountOwner).toBe('C')
    const put = await harness.write('PUT', `/accounts/${id}`, { accountOwner: 'B' }, key)
    expect(put.json().error.code).toBe('IDEMPOTENCY_KEY_REUSED')
  })

  test('If-Match takes the ETag of a read record', async () => {
    const etag = { 'if-match': String((await harness.read(`/accounts/${id}`)).headers.etag) }
    expect((await patch({ accountOwner: 'D' }, etag)).statusCode).toBe(200)
    for (const body of [{ accountOwner: 'E' }, {}])
      expect((await patch(body, etag)).json().error.code).toBe('WRITE_CONFLICT')
  })

  test('a lost response is read back, and an update without fields sends no write', async () => {
    harness.rolodex.faults.push('lost')
    const lost = await patch({ industry: 'Ships' })
    expect(lost.json().account, lost.body).toMatchObject({ accountName: 'Firm', industry: 'Ships' })
    harness.rolodex.requests.length = 0
    expect((await patch({})).statusCode).toBe(200)
    expect(harness.rolodex.requests).toEqual([expect.stringMatching(/^GET /)])
  })
})
