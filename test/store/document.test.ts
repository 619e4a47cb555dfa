/** The stored document of a record equals its columns, whichever code path wrote it. */
import { Prisma } from '@prisma/client'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { plainDecimal } from '../../src/definition/decimal.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { deleteUnseen } from '../../src/store/records/apply-changes.ts'
import { DOCUMENT, recordSql } from '../../src/store/records/record-sql.ts'
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

const ODD_DECIMALS = ['1e21', '-.5', '007', '1.', '-0.00', '1.50e1', '1.2e-7', '0e5', '-12E+2']

/** Parsed JSON with numbers as their digits. */
const withDigits = (json: string): Readonly<Record<string, unknown>> =>
  JSON.parse(json, (_key, value: unknown, context?: { readonly source: string }) =>
    typeof value === 'number' ? context?.source : value,
  )

test.each(catalogue.resources.map((resource) => [resource.topic, resource] as const))(
  'the document of %s equals its columns: written, changed, deleted, or computed on reading',
  async (topic, resource) => {
    const { prisma } = service.database
    const { table, document } = recordSql(resource)
    const expectTrue = async (count: number): Promise<void> => {
      const computed = Prisma.raw(document('t.id', ({ name }) => `t.${name}`))
      const rows = await prisma.$queryRaw<{ stored: string; computed: string }[]>(
        Prisma.sql`SELECT t.${Prisma.raw(DOCUMENT)} AS stored, ${computed} AS computed FROM ${table} t`,
      )
      expect(rows).toHaveLength(count)
      for (const row of rows) {
        const stored = withDigits(row.stored)
        expect(stored).toStrictEqual(withDigits(row.computed))
        expect(Object.keys(stored)).toEqual(Object.keys(withDigits(row.computed)))
      }
    }
    const sample = (n: number) => sampleRecord(CREDENTIAL, resource, n)
    const decimals = Object.entries(resource.allFields)
      .filter(([, { kind }]) => kind.column.sqlType === 'numeric')
      .map(([name], n) => [name, ODD_DECIMALS[n % ODD_DECIMALS.length]])
    const rows = [
      sample(1),
      sample(2),
      sample(3),
      { ...sample(4), ...Object.fromEntries(decimals) },
    ]
    await service.save(tenant, CREDENTIAL, resource, rows)
    await expectTrue(4)
    await service.save(tenant, CREDENTIAL, resource, [{ ...sample(1), remoteFields: { n: 2 } }])
    await expectTrue(4)
    await prisma.syncSeenRecord.create({
      data: { credentialId: CREDENTIAL, topic, recordId: sample(1).id },
    })
    const owner = { credentialId: CREDENTIAL, environmentId: tenant.environmentId }
    const choice = { since: 'infinity', after: null }
    await service.database.transaction((transaction) =>
      deleteUnseen(transaction, owner, resource, choice),
    )
    await expectTrue(4)

    const path = `${resource.restPath}?credentialId=${CREDENTIAL}&includeDeleted=true`
    const stored = await service.rest(tenant.key, path)
    await prisma.$executeRaw(Prisma.sql`UPDATE ${table} SET ${Prisma.raw(DOCUMENT)} = NULL`)
    const computed = await service.rest(tenant.key, path)
    expect(withDigits(stored.body)).toStrictEqual(withDigits(computed.body))
    expect(stored.json()[resource.plural]).toHaveLength(4)
  },
)

test('a decimal has the notation of its column, whatever notation the app used', async () => {
  const written = fc.stringMatching(/^-?(?:\d{1,9}\.?\d{0,5}|\.\d{1,5})(?:[eE][+-]?\d{1,2})?$/)
  const texts = [...ODD_DECIMALS, ...fc.sample(written, { seed: 20_261_121, numRuns: 1000 })]
  const rows = await service.database.prisma.$queryRaw<{ text: string; shown: string }[]>`
    SELECT text, text::numeric::text AS shown FROM unnest(${texts}::text[]) AS text`
  expect(rows.map(({ text }) => [text, plainDecimal(text)])).toEqual(
    rows.map(({ text, shown }) => [text, shown]),
  )
})
