/** Section 4.5 of the contract: updating a vendor, in the sandbox and in Trunkline. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConnectedSandbox, connectSandbox } from '../support/connected-sandbox.ts'
import { transports } from '../support/operations.ts'
import type { RecordCalls } from '../support/record-calls.ts'
import { commonNames } from './list.ts'

let sandbox: ConnectedSandbox
beforeAll(async () => {
  sandbox = await connectSandbox()
})
afterAll(() => sandbox.stop())

const put = (id: string, query: string, body: object) =>
  sandbox.service.send(
    sandbox.tenant.key,
    'PUT',
    `/2024-03/one/accounting/vendors/${id}${query}`,
    body,
  )

test('4.5.1 the address accepts PUT', async () => {
  const response = await put('ven_0001', `?credentialId=${sandbox.credentialId}`, {
    vendorName: 'Quay',
  })
  expect(response.statusCode, response.body).toBe(200)
  expect(await sandbox.readInApp('vendors', 'ven_0001')).toMatchObject({ vendorName: 'Quay' })
})

test('4.5.2 the id in the path is Trunkline’s or the app’s; any other is not found', async () => {
  const query = `?credentialId=${sandbox.credentialId}`
  const { id } = (await put('ven_0002', query, { vendorName: 'One' })).json().vendor
  const response = await put(id, query, { vendorName: 'Two' })
  expect(response.json().vendor).toMatchObject({ id, remoteId: 'ven_0002', vendorName: 'Two' })
  expect((await put('ven_9999', query, { vendorName: 'Two' })).statusCode).toBe(404)
})

test('4.5.3 credentialId is required', async () => {
  const response = await put('ven_0001', '', { vendorName: 'Quay' })
  expect([response.statusCode, response.json().error.details[0].field]).toEqual([
    400,
    'credentialId',
  ])
})

test('4.5.5 the vendor is under one key, with the fields of 2.3 and 2.1', async () => {
  const query = `?credentialId=${sandbox.credentialId}`
  const { vendor, ...others } = (await put('ven_0001', query, { vendorName: 'Quay' })).json()
  expect(others).toEqual({})
  const names = [
    'vendorName',
    'email',
    'taxNumber',
    'vendorStatus',
    'currency',
    'companyId',
    'addresses',
    'phoneNumbers',
    'remoteFields',
    ...commonNames,
  ]
  expect(Object.keys(vendor).sort()).toEqual(names.toSorted())
})

test('4.5.4 vendorName is required', async () => {
  const query = `?credentialId=${sandbox.credentialId}`
  const response = await put('ven_0001', query, { email: 'a@quay.example' })
  expect([response.statusCode, response.json().error.details]).toMatchObject([
    400,
    [{ field: 'vendorName' }],
  ])
})

describe.each(transports)('over %s', (transport) => {
  let records: RecordCalls
  let id: string
  beforeAll(async () => {
    records = sandbox.over(transport)
    id = (await records.create('accounting/vendors', { vendorName: 'Quay Ltd' })).record.id
  })
  const update = (input: object) => records.update('accounting/vendors', id, input)
  const updateSuccessfully = async (input: object) => {
    const { status, record, message } = await update({ vendorName: 'Quay Ltd', ...input })
    expect(status, message).toBe(200)
    return record
  }
  const expectRejected = async (input: object, field: string) => {
    const { status, details, message } = await update({ vendorName: 'Quay Ltd', ...input })
    expect([status, details[0]?.field ?? message]).toEqual([400, expect.stringContaining(field)])
  }

  test('4.5.4 vendorName cannot be null', async () => {
    await expectRejected({ vendorName: null }, 'vendorName')
  })

  test.each([
    ['email', 'post@quay.example'],
    ['taxNumber', 'IE1234567A'],
    ['vendorStatus', 'ARCHIVED'],
    ['vendorStatus', 'ACTIVE'],
    ['currency', 'GBP'],
    ['currency', 'JPY'],
    ['currency', 'XAU'],
    ['vendorName', 'Quay plc'],
  ])('4.5.4 %s is written: %s', async (field, value) => {
    expect((await updateSuccessfully({ [field]: value }))[field]).toBe(value)
  })

  test('4.5.4 email and taxNumber may be null', async () => {
    await updateSuccessfully({ email: 'post@quay.example', taxNumber: 'IE1' })
    expect(await updateSuccessfully({ email: null, taxNumber: null })).toMatchObject({
      email: null,
      taxNumber: null,
    })
  })

  test('4.5.4 companyId is the company’s id, in Trunkline or in the app', async () => {
    const { companyId } = await updateSuccessfully({ companyId: 'com_0001' })
    expect(companyId).toMatch(/^[0-9a-f-]{36}$/)
    expect((await updateSuccessfully({ companyId })).companyId).toBe(companyId)
  })

  test('4.5.4 an unknown status, currency or country is rejected', async () => {
    await expectRejected({ vendorStatus: 'GONE' }, 'vendorStatus')
    await expectRejected({ currency: 'XYZ' }, 'currency')
    const address = { addressType: 'BILLING', street1: '1 Quay', country: 'ZZ' }
    await expectRejected({ addresses: [address] }, 'country')
  })

  test('4.5.4 an address has the parts of 2.8; its type is capitals in requests and capitalised in responses', async () => {
    const address = {
      street1: '1 Quay',
      street2: 'Floor 2',
      city: 'Cork',
      state: 'Munster',
      countrySubdivision: 'IE-M',
      country: 'IE',
      zipCode: 'T12',
    }
    const vendor = await updateSuccessfully({
      addresses: [
        { ...address, addressType: 'BILLING' },
        { addressType: 'SHIPPING', street1: '2 Quay' },
        { addressType: 'Billing', street1: '3 Quay' },
      ],
    })
    expect(vendor.addresses).toMatchObject([
      { ...address, addressType: 'Billing' },
      { addressType: 'Shipping', street1: '2 Quay', street2: null, country: null },
      { addressType: 'Billing', street1: '3 Quay' },
    ])
  })

  test('4.5.4 in an address only addressType and street1 are required', async () => {
    await expectRejected({ addresses: [{ street1: '1 Quay' }] }, 'addressType')
    await expectRejected({ addresses: [{ addressType: 'BILLING' }] }, 'street1')
    await expectRejected({ addresses: [{ addressType: 'HOME', street1: '1 Quay' }] }, 'addressType')
    await updateSuccessfully({ addresses: [{ addressType: 'BILLING', street1: '1 Quay' }] })
  })

  test('4.5.4 a telephone number has a type and a number, both required', async () => {
    const phoneNumbers = ['PRIMARY', 'OTHER', 'MOBILE', 'FAX'].map((phoneNumberType) => ({
      phoneNumberType,
      phoneNumber: '+353 21 1',
    }))
    const vendor = await updateSuccessfully({ phoneNumbers })
    const types = vendor.phoneNumbers.map(
      (entry: { phoneNumberType: string }) => entry.phoneNumberType,
    )
    expect(types).toEqual(['Primary', 'Other', 'Mobile', 'Fax'])
    await expectRejected({ phoneNumbers: [{ phoneNumber: '1' }] }, 'phoneNumberType')
    await expectRejected({ phoneNumbers: [{ phoneNumberType: 'FAX' }] }, 'phoneNumber')
  })

  test('4.5.4 remoteFields are passed on under the app’s own names', async () => {
    const vendor = await updateSuccessfully({ remoteFields: { payment_terms_days: 21 } })
    expect(vendor.remoteFields.payment_terms_days).toBe(21)
    await expectRejected({ remoteFields: ['a list'] }, 'remoteFields')
  })
})
