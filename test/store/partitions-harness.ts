/** A service whose change log has partitions that a test controls. */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import type { Change } from '../../src/store/changes/changes.ts'
import { openPartitions, type Partitions } from '../support/log-partitions.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

export const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const accounts = catalogue.get('crm/accounts')

export interface PartitionsHarness {
  readonly service: TestService
  readonly tenant: Tenant
  readonly partitions: Partitions
}

/** Starts the service before the tests of the file; each test starts without accounts. */
export const sharePartitions = (onOpen: (harness: PartitionsHarness) => void): void => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
    const tenant = await service.createTenant('development', [CREDENTIAL])
    onOpen({ service, tenant, partitions: openPartitions(service.database) })
  })
  beforeEach(async () => {
    await service.database.prisma.$executeRaw`TRUNCATE crm_accounts`
  })
  afterAll(() => service.stop())
}

/** Stores account number `n`, which writes one change. */
export const saveAccount = (
  { service, tenant }: Pick<PartitionsHarness, 'service' | 'tenant'>,
  n: number,
): Promise<void> =>
  service.save(tenant, CREDENTIAL, accounts, [sampleRecord(CREDENTIAL, accounts, n)])

/** The numbers of the accounts that changed. */
export const numbersOf = (changes: readonly Change[]): number[] =>
  changes.map(({ record }) => Number(JSON.parse(record ?? '{}').remoteId))
