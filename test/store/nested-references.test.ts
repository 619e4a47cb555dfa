/** Nested records are looked up by id through an index, however many records exist. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { nestedRemoteIdsOf } from '../../src/store/records/references.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const OTHER = 'bbbbbbbb-0000-4000-8000-000000000002'
const PRODUCTS = 400

let service: TestService
let tenant: Tenant
const products = catalogue.get('commerce/products')
const variantId = (credentialId: string, remoteId: string) =>
  recordId(credentialId, 'commerce/products.variants', remoteId)
const product = (credentialId: string, n: number) => ({
  ...sampleRecord(credentialId, products, n),
  variants: ['a', 'b'].map((letter) => ({
    id: variantId(credentialId, `${n}-${letter}`),
    remoteId: `${n}-${letter}`,
  })),
})

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL, OTHER])
  for (const credentialId of [CREDENTIAL, OTHER]) {
    const rows = Array.from({ length: PRODUCTS }, (_, n) => product(credentialId, n))
    await service.save(tenant, credentialId, products, rows)
  }
  await service.database.prisma.$executeRaw`ANALYZE commerce_products`
})
afterAll(() => service.stop())

test('finds variants by their ids, within the credential only', async () => {
  const ids = ['7-b', '399-a'].map((remoteId) => variantId(CREDENTIAL, remoteId))
  const others = [variantId(OTHER, '7-b'), variantId(CREDENTIAL, '7-c')]
  const found = await nestedRemoteIdsOf(service.database, CREDENTIAL, products, 'variants', [
    ...ids,
    ...others,
  ])
  expect(Object.fromEntries(found)).toEqual({ [ids[0] ?? '']: '7-b', [ids[1] ?? '']: '399-a' })
})

// Each list that is the target of references needs its own index, written by hand in a migration.
const nested = new Set(
  catalogue.resources.flatMap(({ fields }) =>
    [...JSON.stringify(fields).matchAll(/"target":"(\w+\/\w+\.\w+)"/g)].map(([, target]) => target),
  ),
)

test.each([...nested])(
  'the lookup of one of %s reads an index of their ids',
  async (target = '') => {
    const { prisma } = service.database
    const [topic = '', field = ''] = target.split('.')
    service.takeStatements()
    await nestedRemoteIdsOf(service.database, CREDENTIAL, catalogue.get(topic), field, ['x'])
    const [statement, ...others] = service.takeStatements()
    expect(others).toEqual([])
    const plan = await prisma.$queryRawUnsafe<object[]>(
      `EXPLAIN (FORMAT JSON) ${statement}`,
      ...[CREDENTIAL, ['x'], ['x']],
    )
    expect(JSON.stringify(plan)).toContain(`${catalogue.get(topic).table}_${field}_ids`)
  },
)
