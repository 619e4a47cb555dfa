/** The set-up of list tests: a service and a tenant with two credentials, A and B, without records. */
import { startService, type Tenant, type TestService } from '../support/service.ts'

export const A = 'aaaaaaaa-0000-4000-8000-000000000001'
export const B = 'bbbbbbbb-0000-4000-8000-000000000002'

export interface ReadHarness {
  readonly service: TestService
  readonly tenant: Tenant
}

export const openReadHarness = async (): Promise<ReadHarness> => {
  const service = await startService()
  return { service, tenant: await service.createTenant('development', [A, B]) }
}

/** The app's ids, in alphabetical order. */
export const sortedRemoteIds = (records: readonly Readonly<Record<string, unknown>>[]): string[] =>
  records.map(({ remoteId }) => String(remoteId)).sort()
