/** A record's document is its columns, whatever road it came by. */
import { Prisma } from '@prisma/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { deleteUnsighted } from '../../src/store/apply-changes.ts'
import { DOCUMENT, recordSql } from '../../src/store/record-sql.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL])
})
afterAll(() => service.stop())

test.each(catalogue.resources.map((resource) => [resource.topic, resource] as const))(
  'of %s: made, changed, deleted, or made on reading',
  async (topic, resource) => {
    const { prisma } = service.database
    const { table, document } = recordSql(resource)
    const stale = async (): Promise<number> => {
      const made = Prisma.raw(document('t.id', ({ name }) => `t.${name}`))
      const rows = await prisma.$queryRaw<{ id: string }[]>(
        Prisma.sql`SELECT t.id FROM ${table} t WHERE t.${Prisma.raw(DOCUMENT)} IS DISTINCT FROM ${made}`,
      )
      return rows.length
    }
    const rows = [1, 2, 3].map((n) => sampleRecord(CREDENTIAL, resource, n))
    await service.save(tenant, CREDENTIAL, resource, rows)
    expect(await stale()).toBe(0)
    await service.save(tenant, CREDENTIAL, resource, [
      { ...rows[0], remoteFields: { n: 2 } } as never,
    ])
    expect(await stale()).toBe(0)
    await prisma.syncSighting.create({
      data: { credentialId: CREDENTIAL, topic, recordId: rows[0]?.id ?? '' },
    })
    const owner = { credentialId: CREDENTIAL, environmentId: tenant.environmentId }
    await prisma.$transaction((transaction) => deleteUnsighted(transaction, owner, resource))
    expect(await stale()).toBe(0)

    const path = `${resource.restPath}?credentialId=${CREDENTIAL}&includeDeleted=true`
    const kept = await service.rest(tenant.key, path)
    await prisma.$executeRaw(Prisma.sql`UPDATE ${table} SET ${Prisma.raw(DOCUMENT)} = NULL`)
    expect(await stale()).toBe(3)
    expect((await service.rest(tenant.key, path)).body).toBe(kept.body)
    expect(kept.json()[resource.plural]).toHaveLength(3)
  },
)
