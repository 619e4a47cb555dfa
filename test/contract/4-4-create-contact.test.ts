/** Section 4.4 of the contract: creating a contact, in the sandbox and in Trunkline. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConnectedSandbox, connectSandbox } from '../support/connected-sandbox.ts'
import { transports } from '../support/operations.ts'
import type { RecordCalls, RecordOutcome } from '../support/record-calls.ts'
import { commonNames } from './list.ts'

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

let sandbox: ConnectedSandbox
beforeAll(async () => {
  sandbox = await connectSandbox()
})
afterAll(() => sandbox.stop())

const post = (query: string, body: object) =>
  sandbox.service.send(sandbox.tenant.key, 'POST', `/2024-03/one/crm/contacts${query}`, body)

test('4.4.1 the address accepts POST', async () => {
  const response = await post(`?credentialId=${sandbox.credentialId}`, { lastName: 'Byrne' })
  expect(response.statusCode, response.body).toBe(200)
  const { remoteId } = response.json().contact
  expect(await sandbox.readInApp('people', remoteId)).toMatchObject({ lastName: 'Byrne' })
})

test('4.4.2 credentialId is required', async () => {
  for (const query of ['', '?credentialId=']) {
    const response = await post(query, { lastName: 'Byrne' })
    expect([response.statusCode, response.json().error.details[0].field]).toEqual([
      400,
      'credentialId',
    ])
  }
})

test('4.4.4 the contact is under one key, with the fields of 2.7 and 2.1', async () => {
  const response = await post(`?credentialId=${sandbox.credentialId}`, { lastName: 'Byrne' })
  const { contact, ...others } = response.json()
  expect(others).toEqual({})
  const names = [
    'firstName',
    'lastName',
    'account',
    'addresses',
    'emailAddresses',
    'phoneNumbers',
    'lastActivityAt',
    'remoteFields',
    ...commonNames,
  ]
  expect(Object.keys(contact).sort()).toEqual(names.toSorted())
  expect(contact.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  for (const name of ['remoteCreatedAt', 'remoteUpdatedAt', 'createdAt', 'updatedAt'])
    expect(contact[name]).toMatch(TIME)
})

describe.each(transports)('over %s', (transport) => {
  let records: RecordCalls
  beforeAll(() => {
    records = sandbox.over(transport)
  })
  const createContact = async (input: object) => {
    const { status, record, message } = await records.create('crm/contacts', input)
    expect(status, message).toBe(200)
    return record
  }
  const fieldOf = ({ status, details, message }: RecordOutcome) => {
    expect(status).toBe(400)
    return details[0]?.field ?? message
  }

  test('4.4.3 lastName is required', async () => {
    expect(fieldOf(await records.create('crm/contacts', { firstName: 'Aoife' }))).toContain(
      'lastName',
    )
    expect(fieldOf(await records.create('crm/contacts', { lastName: null }))).toContain('lastName')
  })

  test('4.4.3 firstName is text', async () => {
    expect(await createContact({ lastName: 'Byrne', firstName: 'Aoife' })).toMatchObject({
      firstName: 'Aoife',
      lastName: 'Byrne',
    })
    expect((await records.create('crm/contacts', { lastName: 'x', firstName: {} })).status).toBe(
      400,
    )
  })

  test('4.4.3 account is a name or an identifier, and an object in the response', async () => {
    const { record } = await records.create('crm/accounts', { accountName: `Quay ${transport}` })
    const { id, remoteId, accountName } = record
    for (const account of [id, remoteId, accountName]) {
      const contact = await createContact({ lastName: 'Byrne', account })
      expect(contact.account).toEqual({ id, remoteId, accountName })
      const inApp = await sandbox.readInApp('people', contact.remoteId)
      expect(inApp.account).toBe(remoteId)
    }
    expect(
      fieldOf(await records.create('crm/contacts', { lastName: 'x', account: 'Nobody' })),
    ).toBe('account')
  })

  test('4.4.3 addresses have the parts of 2.7', async () => {
    const address = {
      addressType: 'Home',
      street1: '1 Quay',
      street2: 'Rear',
      city: 'Cork',
      state: 'Munster',
      countrySubdivision: 'IE-M',
      country: 'Ireland',
      postalCode: 'T12',
    }
    const contact = await createContact({
      lastName: 'Byrne',
      addresses: [address, { city: 'Kinsale' }],
    })
    const nothing = Object.fromEntries(Object.keys(address).map((name) => [name, null]))
    expect(contact.addresses).toEqual([address, { ...nothing, city: 'Kinsale' }])
  })

  test('4.4.3 e-mail addresses have a type and the address', async () => {
    const emailAddresses = [
      { emailAddressType: 'work', emailAddress: 'a@quay.example' },
      { emailAddressType: 'Assistant', emailAddress: 'b@quay.example' },
    ]
    expect((await createContact({ lastName: 'Byrne', emailAddresses })).emailAddresses).toEqual(
      emailAddresses,
    )
  })

  test('4.4.3 telephone numbers have a type and the number, both required; types are capitalised', async () => {
    const number = (phoneNumberType: string) => ({ phoneNumberType, phoneNumber: '+353 21 1' })
    const values = ['PRIMARY', 'Other', 'mobile', 'FAX'].map(number)
    const contact = await createContact({ lastName: 'Byrne', phoneNumbers: values })
    expect(contact.phoneNumbers).toEqual(['Primary', 'Other', 'Mobile', 'Fax'].map(number))
    for (const name of ['phoneNumberType', 'phoneNumber']) {
      const { [name]: _, ...rest }: Record<string, string> = number('FAX')
      const refused = await records.create('crm/contacts', { lastName: 'x', phoneNumbers: [rest] })
      expect(fieldOf(refused)).toContain(name)
    }
  })

  test('4.4.3 remoteFields are passed on under the app’s own names', async () => {
    const contact = await createContact({
      lastName: 'Byrne',
      remoteFields: { job_title: 'Rigger' },
    })
    expect(contact.remoteFields.job_title).toBe('Rigger')
    expect((await sandbox.readInApp('people', contact.remoteId)).job_title).toBe('Rigger')
  })

  test('4.4.5 a missing account is null, and missing lists are empty', async () => {
    expect(await createContact({ lastName: 'Byrne' })).toMatchObject({
      account: null,
      addresses: [],
      emailAddresses: [],
      phoneNumbers: [],
      firstName: null,
      lastActivityAt: null,
      remoteDeleted: false,
    })
  })
})
