/** Sandbox companies that an earlier version created get new records, and the next sync stores them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSandboxApp } from '../../src/sandbox/app.ts'
import { renewTenants } from '../../src/sandbox/renew.ts'
import { getSandboxTenant } from '../../src/store/sandbox/sandbox-records.ts'
import { type ConnectedSandbox, connectSandbox } from '../support/connected-sandbox.ts'

let sandbox: ConnectedSandbox
beforeAll(async () => {
  sandbox = await connectSandbox()
})
afterAll(() => sandbox.stop())

const renew = () => renewTenants(sandbox.service.database, new Date())

/** Stores the tenant as the first version did: vendors had other field names. */
const makeEarlier = async (): Promise<void> => {
  const { prisma } = sandbox.service.database
  await prisma.$executeRaw`UPDATE sandbox_records SET body = body - 'form' WHERE kind = '_tenant'`
  await prisma.$executeRaw`UPDATE sandbox_records
    SET body = jsonb_build_object('display_name', body->'vendorName', 'state', 'active')
    WHERE kind = 'vendors'`
}

test('new records replace them, records of users are deleted, and the simulated activity continues', async () => {
  const { database } = sandbox.service
  const app = createSandboxApp(sandbox.service)
  const before = await sandbox.readInApp('vendors', 'ven_0001')
  const { prisma } = database
  await prisma.$executeRaw`INSERT INTO sandbox_records
      (tenant, kind, id, version, deleted, created_at, updated_at, body)
    SELECT tenant, kind, 'ven_0900', 4, false, created_at, now(), body
    FROM sandbox_records WHERE tenant = 'acme' AND kind = 'vendors' AND id = 'ven_0001'`
  await sandbox.sync()
  await makeEarlier()
  const access = await getSandboxTenant(database, 'acme')

  expect(await renew()).toBe(1)
  expect(await renew()).toBe(0)
  const tenant = await getSandboxTenant(database, 'acme')
  expect(tenant?.tokenHash).toBe(access?.tokenHash)
  expect(tenant?.numbers.ven).toBe(access?.numbers.ven)
  expect(await sandbox.readInApp('vendors', 'ven_0001')).toMatchObject({
    vendorName: before.vendorName,
    version: before.version + 1,
  })

  await sandbox.takeChanges()
  await sandbox.sync()
  const changes = await sandbox.takeChanges()
  const ofVendors = changes.filter(({ topic }) => topic === 'accounting/vendors')
  expect(ofVendors.filter(({ kind }) => kind === 'deleted')).toMatchObject([
    { remoteId: 'ven_0900' },
  ])
  await app.advance('acme', 40)
  await sandbox.sync()
  expect((await sandbox.takeChanges()).length).toBeGreaterThan(20)
})
