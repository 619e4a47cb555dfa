/** A service with one credential that has a few records of each resource, shared by the tests of a file. */
import { afterAll, beforeAll } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { graphqlRequest } from './graphql-request.ts'
import { sampleRecord } from './sample.ts'
import { startService, type Tenant, type TestService } from './service.ts'

export const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
/** A well-formed id that no record has. */
export const NEVER = '99999999-0000-4000-8000-000000000009'

/** Starts the service before the tests of the file and stops it after them. */
export const shareServiceWithRecords = (recordsOfEach = 3) => {
  let service: TestService
  let tenant: Tenant
  beforeAll(async () => {
    service = await startService()
    tenant = await service.createTenant('development', [CREDENTIAL])
    for (const resource of catalogue.resources)
      await service.save(
        tenant,
        CREDENTIAL,
        resource,
        Array.from({ length: recordsOfEach }, (_, n) => sampleRecord(CREDENTIAL, resource, n + 1)),
      )
  })
  afterAll(() => service.stop())
  return {
    get service() {
      return service
    },
    get tenant() {
      return tenant
    },
    rest: (path: string) => service.rest(tenant.key, path),
    graph: (query: string, variables?: unknown) =>
      service.server.inject(graphqlRequest(tenant.key, { query, variables })),
  }
}
