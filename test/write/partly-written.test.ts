/** A write of several requests; the app rejects one of them. The response lists what was done. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type {
  Connector,
  Json,
  Steps,
  StoredRecord,
  WriteInput,
} from '../../src/definition/connector.ts'
import { defineRolodexConnector } from '../support/rolodex-connector.ts'
import { openWriteHarness, type WriteHarness } from './write-harness.ts'

/** The rolodex with three requests for a firm: its name, its owner, then the rest. */
const defineTwoStepConnector = (url: string): Connector => {
  const connector = defineRolodexConnector(url)
  const { 'crm/accounts': firms } = connector.resources
  const { write } = firms ?? {}
  if (!firms || !write?.update) throw new Error('The rolodex has no firms to update.')
  function* steps(
    { fields, remoteFields }: WriteInput,
    { remoteId, record }: StoredRecord,
  ): Steps<unknown> {
    const put = (body: Json) => ({ method: 'PUT', path: `/firms/${remoteId}`, body }) as const
    const { accountName = null } = fields
    if (accountName !== record.accountName) yield put({ name: accountName })
    if (fields.accountOwner !== undefined)
      yield { method: 'POST', path: '/people', body: { last: fields.accountOwner } }
    const { body } = yield put(remoteFields)
    return body
  }
  const update = { ...write.update, steps }
  return {
    ...connector,
    resources: {
      ...connector.resources,
      'crm/accounts': { ...firms, write: { ...write, update } },
    },
  }
}

let harness: WriteHarness
beforeAll(async () => {
  harness = await openWriteHarness(defineTwoStepConnector)
})
afterAll(() => harness.stop())

const createFirm = async () =>
  (await harness.write('POST', '/accounts', { accountName: 'First' })).json().account
// The rolodex rejects this value.
const remoteFields = { last: 'Nobody' }

test('names the rejected and the changed fields, and the stored copy equals the app’s', async () => {
  const { id, remoteId } = await createFirm()
  const headers = { 'idempotency-key': 'half' }
  const body = { accountName: 'Half', remoteFields }
  const response = await harness.write('PUT', `/accounts/${id}`, body, headers)
  expect(response.statusCode, response.body).toBe(400)
  const { code, message, details } = response.json().error
  expect(code).toBe('PARTLY_WRITTEN')
  expect(message).toContain('too short')
  expect(details[0]).toMatchObject({ field: 'remoteFields.last' })
  expect(details).toContainEqual(
    expect.objectContaining({ field: 'accountName', stored: 'First', current: 'Half' }),
  )
  expect(harness.rolodex.cards.get(remoteId)?.values.name).toBe('Half')
  expect((await harness.read(`/accounts/${id}`)).json().account.accountName).toBe('Half')

  const again = await harness.write('PUT', `/accounts/${id}`, body, headers)
  expect(again.body).toBe(response.body)
  const next = await harness.write('PUT', `/accounts/${id}`, { accountName: 'Whole' })
  expect(next.statusCode, next.body).toBe(200)
})

test('is a plain rejection if the record is unchanged', async () => {
  const { id } = await createFirm()
  const body = { accountName: 'First', accountOwner: 'Owner', remoteFields }
  const response = await harness.write('PUT', `/accounts/${id}`, body)
  expect([response.statusCode, response.json().error.code]).toEqual([400, 'APP_REFUSED'])
})

test('omits the changed fields while the app cannot be read', async () => {
  const { id } = await createFirm()
  // Reads work until the rejection and fail after it.
  harness.rolodex.onResponse = (request) => {
    if (request.startsWith('PUT')) harness.rolodex.readable = false
  }
  const response = await harness.write('PUT', `/accounts/${id}`, {
    accountName: 'Half',
    remoteFields,
  })
  harness.rolodex.onResponse = undefined
  harness.rolodex.readable = true
  expect([response.statusCode, response.json().error.code]).toEqual([400, 'PARTLY_WRITTEN'])
  expect(response.json().error.details).toMatchObject([{ field: 'remoteFields.last' }])
  await harness.sync()
  expect((await harness.read(`/accounts/${id}`)).json().account.accountName).toBe('Half')
})
