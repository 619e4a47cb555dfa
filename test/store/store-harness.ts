/** A service with two credentials and no records before each test of a file, and helpers for it. */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { RecordRow } from '../../src/definition/mapping.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import type { Transaction } from '../../src/store/database/database.ts'
import {
  type AppliedChanges,
  type ApplyOptions,
  markRecordsDeleted,
} from '../../src/store/records/apply-changes.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { createWriter, type Writer } from '../support/writer.ts'

export const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
export const OTHER = 'bbbbbbbb-0000-4000-8000-000000000002'
export const accounts = catalogue.get('crm/accounts')

/** Starts the service before the tests of the file and stops it after them. */
export const storeHarness = () => {
  let service: TestService
  let tenant: Tenant
  let writer: Writer
  beforeAll(async () => {
    service = await startService()
    tenant = await service.createTenant('development', [CREDENTIAL, OTHER])
    writer = createWriter(service, tenant)
  })
  beforeEach(() => writer.empty())
  afterAll(() => service.stop())
  return {
    get service() {
      return service
    },
    get tenant() {
      return tenant
    },
    apply: (
      rows: readonly RecordRow[],
      resource: Resource = accounts,
      accept: 'newer' | 'all' = 'newer',
      credentialId = CREDENTIAL,
    ) => writer.apply(rows, { resource, credentialId, accept }),
    /** The records were requested from the app at that time. */
    applyRequested: (
      rows: readonly RecordRow[],
      requestedAt: string,
      accept: ApplyOptions['accept'],
    ): Promise<AppliedChanges> =>
      writer.apply(rows, {
        resource: accounts,
        credentialId: CREDENTIAL,
        accept,
        requestedAt,
      }),
    /** The record was found deleted in the app. */
    remove: (id: string): Promise<number> => {
      const owner = { credentialId: CREDENTIAL, environmentId: tenant.environmentId }
      return service.database.transaction((transaction) =>
        markRecordsDeleted(transaction, owner, accounts, [id]),
      )
    },
    applyIn: (transaction: Transaction, rows: readonly RecordRow[]) =>
      writer.applyIn(transaction, rows, { resource: accounts, credentialId: CREDENTIAL }),
    readLog: () => writer.readLog(),
    takeLog: () => writer.takeLog(),
    readRow: (resource: Resource, id: string) => writer.readRow(resource, id),
    show: (resource: Resource, id: string, credentialId = CREDENTIAL) =>
      writer.show({ resource, credentialId }, id),
    list: (resource: Resource) => writer.list({ resource, credentialId: CREDENTIAL }),
  }
}
