/** Stored records of one resource, listed over both transports: which of them a parameter selects. */
import { expect } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import type { RecordRow } from '../../src/definition/mapping.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { filterParameters } from '../../src/query/filter.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

export const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'

/** The fields of a record that are not null or empty. */
export type RecordValues = Readonly<Record<string, unknown>>

/** A record as REST shows it. */
// biome-ignore lint/suspicious/noExplicitAny: each test knows the fields of its resource
export type Shown = Readonly<Record<string, any>>

/** A parameter, its value (or a function of the records as REST shows them), and the numbers of the selected records. */
export type ListCase = readonly [
  parameter: string,
  value: string | ((shown: readonly Shown[]) => string),
  selects: readonly number[],
]

export interface List {
  readonly service: TestService
  readonly tenant: Tenant
  /** The records as REST shows them; number 1 is at index 1. */
  readonly shown: readonly Shown[]
  /** The numbers of the records in a list with this parameter, the same over both transports. */
  select(parameter: string, value: ListCase[1]): Promise<readonly number[]>
  sendRest(query: string): ReturnType<TestService['rest']>
  stop(): Promise<void>
}

const rowOf = ({ topic, allFields }: Resource, number: number, input: RecordValues): RecordRow => ({
  ...Object.fromEntries(
    Object.entries(allFields).map(([name, { kind }]) => [name, kind.isList ? [] : null]),
  ),
  id: recordId(CREDENTIAL, topic, String(number)),
  remoteId: String(number),
  remoteDeleted: false,
  ...input,
})

/** Stores the records, number 1 first, each a little later than the one before; then updates number 1. */
export const openList = async (
  resource: Resource,
  records: readonly RecordValues[],
  update: RecordValues,
): Promise<List> => {
  const service = await startService()
  const tenant = await service.createTenant('development', [CREDENTIAL])
  const save = async (number: number, input: RecordValues | undefined): Promise<void> => {
    await service.save(tenant, CREDENTIAL, resource, [rowOf(resource, number, input ?? {})])
    // No two records may be stored in the same millisecond.
    await service.database.prisma.$queryRaw`SELECT pg_sleep(0.003)::text`
  }
  for (const [index, values] of records.entries()) await save(index + 1, values)
  await save(1, { ...records[0], ...update })

  const sendRest = (query: string) =>
    service.rest(
      tenant.key,
      `${resource.restPath}?credentialId=${CREDENTIAL}${query && '&'}${query}`,
    )
  const all = await sendRest('includeDeleted=true')
  const shown: Shown[] = []
  for (const record of all.json()[resource.plural]) shown[Number(record.remoteId)] = record

  const numbersOf = (found: readonly { readonly remoteId: string }[]): readonly number[] =>
    found.map(({ remoteId }) => Number(remoteId)).sort((a, b) => a - b)
  const listOverGraphQL = async (parameter: string, text: string): Promise<readonly number[]> => {
    const isNumber = filterParameters(resource).get(parameter)?.filter.typescript === 'number'
    const { data, errors } = await service.graphql(
      tenant.key,
      `query ($filter: ${resource.typeName}Filter) {
        list: ${resource.listField}(credentialId: "${CREDENTIAL}", filter: $filter) { nodes { remoteId } } }`,
      { filter: { [parameter]: isNumber ? Number(text) : text } },
    )
    expect(errors).toEqual([])
    return numbersOf(data.list.nodes)
  }

  return {
    service,
    tenant,
    shown,
    sendRest,
    stop: service.stop,
    select: async (parameter, value) => {
      const text = typeof value === 'string' ? value : value(shown)
      const response = await sendRest(String(new URLSearchParams({ [parameter]: text })))
      expect(response.statusCode, response.body).toBe(200)
      const numbers = numbersOf(response.json()[resource.plural])
      expect(await listOverGraphQL(parameter, text), 'GraphQL').toEqual(numbers)
      return numbers
    },
  }
}

/** The cases of the four pairs of bounds on a record's times, for five records, each later than the one before. */
export const timeCases: readonly ListCase[] = [
  ['remoteCreatedAtMin', '2026-01-03', [3, 4]],
  ['remoteCreatedAtMax', '2026-01-02', [1, 2]],
  ['remoteUpdatedAtMin', '2026-02-02T12:00:00.000Z', [2, 3, 4]],
  ['remoteUpdatedAtMax', '2026-02-02T11:59:59.999Z', [1]],
  ['createdAtMin', (shown) => shown[3]?.createdAt, [3, 4]],
  ['createdAtMax', (shown) => shown[3]?.createdAt, [1, 2, 3]],
  // Number 1 was changed after all others were stored.
  ['updatedAtMin', (shown) => shown[1]?.updatedAt, [1]],
  ['updatedAtMax', (shown) => shown[3]?.updatedAt, [2, 3]],
]

/** The app's times of record `number`, as `timeCases` expects them. */
export const timesOf = (number: number): RecordValues => ({
  remoteCreatedAt: `2026-01-0${number}T12:00:00.000Z`,
  remoteUpdatedAt: `2026-02-0${number}T12:00:00.000Z`,
})

/** The fields of every record (2.1). */
export const commonNames = [
  'id',
  'remoteId',
  'remoteCreatedAt',
  'remoteUpdatedAt',
  'remoteDeleted',
  'createdAt',
  'updatedAt',
]
