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

let shop: WorkflowHarness
/** An end user with two shops and two CRMs. */
let customer: Customer
let second: Pick<Customer, 'shop' | 'crm'>

beforeAll(async () => {
  shop = await openWorkflowHarness()
})
beforeEach(async () => {
  customer = await addCustomer(shop.database)
  second = await addCustomer(shop.database)
  const { environmentId, userId } = customer
  await shop.database.prisma.credential.updateMany({
    where: { id: { in: [second.shop, second.crm] } },
    data: { environmentId, userId },
  })
})
afterEach(() => shop.empty())
afterAll(() => shop.close())

const toNotes = ordersToNotes({ noteTitle: '{orderNumber}' })
const disconnect = (id: string) =>
  deleteCredential(shop.database, customer.environmentId, customer.userId, id)

test('a chosen credential that is disconnected is not replaced as a source', async () => {
  const credentialIds = [customer.shop]
  await install(shop.database, customer, [toNotes], { credentialIds })
  const any = await install(shop.database, customer, [toNotes])
  await shop.engine()
  await disconnect(customer.shop)
  await shop.change(1, { orderNumber: 'A1' }, { of: second.shop })
  const runs = await shop.settled(1, customer)
  expect(runs.map(({ installationId }) => installationId)).toEqual([any.installationId])
})

test('a chosen credential that is disconnected is not replaced as a target', async () => {
  const credentialIds = [customer.shop, customer.crm]
  await install(shop.database, customer, [toNotes], { credentialIds })
  await shop.engine()
  await shop.change(1, { orderNumber: 'A1' }, { of: customer.shop })
  await shop.settled(1, customer)
  await disconnect(customer.crm)
  await shop.change(2, { orderNumber: 'A2' }, { of: customer.shop })
  const [, run] = await shop.settled(2, customer)
  expect(run).toMatchObject({
    status: 'failed',
    attempts: 1,
    failure: 'NO_CREDENTIAL: the installation has no credential of crm',
  })
  const written = await listWrites(shop.database)
  expect(written.map(({ credentialId }) => credentialId)).toEqual([customer.crm])
})
