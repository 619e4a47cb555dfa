/** An installation uses the chosen credentials only, and never a substitute. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { deleteCredential } from '../../src/store/accounts/credentials.ts'
import { ordersToNotes } from './apps.ts'
import { listWrites } from './recording-writer.ts'
import {
  addCustomer,
  type Customer,
  install,
  openWorkflowHarness,
  type WorkflowHarness,
} from './workflow-harness.ts'

let harness: WorkflowHarness
/** An end user with two shops and two CRMs. */
let customer: Customer
let second: Pick<Customer, 'shop' | 'crm'>

beforeAll(async () => {
  harness = await openWorkflowHarness()
})
beforeEach(async () => {
  customer = await addCustomer(harness.database)
  second = await addCustomer(harness.database)
  const { environmentId, userId } = customer
  await harness.database.prisma.credential.updateMany({
    where: { id: { in: [second.shop, second.crm] } },
    data: { environmentId, userId },
  })
})
afterEach(() => harness.empty())
afterAll(() => harness.close())

const toNotes = ordersToNotes({ noteTitle: '{orderNumber}' })
const disconnect = (id: string) =>
  deleteCredential(harness.database, customer.environmentId, customer.userId, id)

test('a chosen credential that is disconnected is not replaced as a source', async () => {
  const credentialIds = [customer.shop]
  await install(harness.database, customer, [toNotes], { credentialIds })
  const any = await install(harness.database, customer, [toNotes])
  await harness.engine()
  await disconnect(customer.shop)
  await harness.change(1, { orderNumber: 'A1' }, { credentialId: second.shop })
  const runs = await harness.settled(1, customer)
  expect(runs.map(({ installationId }) => installationId)).toEqual([any.installationId])
})

test('a chosen credential that is disconnected is not replaced as a target', async () => {
  const credentialIds = [customer.shop, customer.crm]
  await install(harness.database, customer, [toNotes], { credentialIds })
  await harness.engine()
  await harness.change(1, { orderNumber: 'A1' }, { credentialId: customer.shop })
  await harness.settled(1, customer)
  await disconnect(customer.crm)
  await harness.change(2, { orderNumber: 'A2' }, { credentialId: customer.shop })
  const [, run] = await harness.settled(2, customer)
  expect(run).toMatchObject({
    status: 'failed',
    attempts: 1,
    failure: 'NO_CREDENTIAL: the installation has no credential of crm',
  })
  const written = await listWrites(harness.database)
  expect(written.map(({ credentialId }) => credentialId)).toEqual([customer.crm])
})
