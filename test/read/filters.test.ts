/** Random filters of every resource select the records that an oracle selects, over REST and over GraphQL. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { parseExactly } from '../../src/query/exact-json.ts'
import { type FilterParameter, filterParameters } from '../../src/query/filter.ts'
import { parseFilterInput } from '../../src/query/filter-input.ts'
import { filterLinks } from '../../src/query/filter-links.ts'
import { defaultOrder, parseFilter } from '../../src/query/list-request.ts'
import { unmetFields } from '../../src/query/record-filter.ts'
import { listRecords } from '../../src/store/records/records.ts'
import {
  type ComposedFilter,
  type FilterInput,
  isListed,
  type StoredRecord,
} from '../support/filter-oracle.ts'
import {
  days,
  decimals,
  instants,
  integers,
  REMOTE_IDS,
  recordRows,
  texts,
} from '../support/random-records.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const SEED = 20_261_121
const A = 'aaaaaaaa-0000-4000-8000-000000000001'
const B = 'bbbbbbbb-0000-4000-8000-000000000002'
const RECORDS = 30

let service: TestService
let tenant: Tenant
const stored = new Map<Resource, readonly StoredRecord[]>()

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [A, B])
  for (const resource of catalogue.resources) {
    const rows =
      fc.sample(recordRows(A, resource, { count: RECORDS, deleted: true }), {
        seed: SEED,
        numRuns: 1,
      })[0] ?? []
    await service.save(tenant, A, resource, rows)
    const times = await service.database.prisma.$queryRawUnsafe<
      { id: string; created_at: Date; updated_at: Date }[]
    >(`SELECT id, created_at, updated_at FROM ${resource.table}`)
    stored.set(
      resource,
      rows.map((row) => {
        const at = times.find(({ id }) => id === row.id)
        return {
          ...row,
          createdAt: at?.created_at.toISOString(),
          updatedAt: at?.updated_at.toISOString(),
        }
      }),
    )
  }
})
afterAll(() => service.stop())

const recordsOf = (resource: Resource): readonly StoredRecord[] => stored.get(resource) ?? []

const flipCase = (text: string): string =>
  [...text]
    .map((letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
    .join('')

/** Filter values worth testing: values of the records, parts of them, and others. */
const filterValues = (
  resource: Resource,
  parameter: FilterParameter,
): fc.Arbitrary<string | readonly string[]> => {
  const { operator } = parameter
  if (operator === 'isNull') return fc.constantFrom('true', 'false')
  if (operator === 'in')
    return fc.array(oneValue(resource, parameter), { minLength: 1, maxLength: 3 })
  return oneValue(resource, parameter)
}

const oneValue = (resource: Resource, parameter: FilterParameter): fc.Arbitrary<string> => {
  const { field, definition, operator } = parameter
  const { name: kind, values = [], reference } = definition.kind
  const known = recordsOf(resource)
    .map((record) => record[field])
    .filter((value) => value !== null && value !== undefined)
    .map(String)
  const present = fc.constantFrom(...(known.length > 0 ? known : ['1']))
  switch (kind) {
    case 'text':
      if (field === 'remoteId') return fc.nat(RECORDS + 2).map(String)
      return fc.oneof(
        present,
        present.map(flipCase),
        fc
          .tuple(present, fc.nat(2), fc.nat(3))
          .map(([text, from, length]) => [...text].slice(from, from + length + 1).join('')),
        texts.filter((text) => text.isWellFormed()),
      )
    case 'integer':
      return fc.oneof(present, integers.map(String))
    case 'number':
    case 'decimal':
      return fc.oneof(
        present,
        present.map((digits) => (digits.includes('.') ? `${digits}00` : `${digits}.0`)),
        decimals,
      )
    case 'boolean':
      return fc.constantFrom('true', 'false')
    case 'enumeration': {
      return fc
        .constantFrom(...values.slice(0, 4))
        .chain((word) => fc.constantFrom(word, word.toLowerCase()))
    }
    case 'reference': {
      const { target = '' } = reference ?? {}
      return fc
        .integer({ min: 1, max: REMOTE_IDS + 1 })
        .map(String)
        .chain((remoteId) => {
          const id = recordId(A, target, remoteId)
          return fc.constantFrom(remoteId, id, id.toUpperCase())
        })
    }
    case 'timestamp':
    case 'date': {
      const aDay = fc.oneof(present, days).map((iso) => iso.slice(0, 10))
      if (kind === 'date' && (operator === 'equals' || operator === 'in')) return aDay
      return fc.oneof(aDay, present, instants, instants.map(withOffset))
    }
    default:
      throw new TypeError(`${field} has the kind ${kind}, and this test has no values for it.`)
  }
}

/** The same instant with a UTC offset of two hours. */
const withOffset = (iso: string): string =>
  new Date(Date.parse(iso) + 7_200_000).toISOString().replace('Z', '+02:00')

/** One to three conditions, at most one for each parameter. */
const filters = (resource: Resource): fc.Arbitrary<FilterInput> => {
  const parameters = [...filterParameters(resource).values()]
  return fc
    .tuple(
      fc.subarray(parameters, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(undefined, undefined, 'true', 'false'),
    )
    .chain(([chosen, includeDeleted]) =>
      fc
        .record(
          Object.fromEntries(
            chosen.map((parameter) => [parameter.name, filterValues(resource, parameter)] as const),
          ),
        )
        .map((filter) => (includeDeleted === undefined ? filter : { ...filter, includeDeleted })),
    )
}

const sortedRemoteIds = (records: readonly Readonly<Record<string, unknown>>[]): string[] =>
  records.map(({ remoteId }) => String(remoteId)).sort()

const expectedIds = (resource: Resource, filter: ComposedFilter): string[] =>
  sortedRemoteIds(
    recordsOf(resource).filter((record) =>
      isListed({ credentialId: A, recordsOf }, resource, record, filter),
    ),
  )

/** The GraphQL value for the text of a query string. */
const typedValue = (
  resource: Resource,
  name: string,
  value: string | readonly string[],
): unknown => {
  if (typeof value !== 'string') return value.map((item) => typedValue(resource, name, item))
  if (name === 'includeDeleted') return value === 'true'
  const { definition, operator } = filterParameters(resource).get(name) ?? {}
  const kind = definition?.kind.name
  if (kind === 'boolean' || operator === 'isNull') return value === 'true'
  if (kind === 'enumeration') return value.toUpperCase()
  return kind === 'integer' || kind === 'number' || kind === 'decimal' ? Number(value) : value
}

const listOverGraph = async (resource: Resource, filter: FilterInput) => {
  const { data, errors } = await service.graphql(
    tenant.key,
    `query ($filter: ${resource.typeName}Filter) {
      list: ${resource.listField}(credentialId: "${A}", filter: $filter) { totalCount nodes { remoteId } }
    }`,
    {
      filter: Object.fromEntries(
        Object.entries(filter).map(([name, value]) => [name, typedValue(resource, name, value)]),
      ),
    },
  )
  expect(errors, JSON.stringify(filter)).toEqual([])
  return { ids: sortedRemoteIds(data.list.nodes), count: data.list.totalCount }
}

/** The values of query parameters: several values are separated by commas. */
const parameterTexts = (filter: FilterInput): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [
      name,
      typeof value === 'string'
        ? value
        : value.map((item) => item.replace(/[\\,]/g, '\\$&')).join(','),
    ]),
  )

const listOverRest = async (resource: Resource, filter: FilterInput) => {
  const query = new URLSearchParams({ credentialId: A, ...parameterTexts(filter) })
  const [list, count] = [
    await service.rest(tenant.key, `${resource.restPath}?${query}`),
    await service.rest(tenant.key, `${resource.restPath}/count?${query}`),
  ]
  expect(list.statusCode, list.body).toBe(200)
  return { ids: sortedRemoteIds(list.json()[resource.plural]), count: count.json().count }
}

const isExact = (value: string | readonly string[]): boolean =>
  !/\d{16}|\.\d{16}/.test([value].flat().join())

/** A filter of up to three levels, with groups of filters and filters of linked records. */
const composedFilters = (
  resource: Resource,
  { levels, isGroup }: { readonly levels: number; readonly isGroup: boolean },
): fc.Arbitrary<ComposedFilter> => {
  const parameters = [...filterParameters(resource).values()]
  const term = fc
    .constantFrom(...parameters)
    .chain((parameter) =>
      filterValues(resource, parameter).map((value) => [parameter.name, value] as const),
    )
  const deleted: fc.Arbitrary<ComposedFilter> = isGroup
    ? fc.constant({})
    : fc.constantFrom({}, {}, { includeDeleted: 'true' })
  const links = [...(filterLinks(catalogue).get(resource)?.values() ?? [])]
  const below = levels - 1
  const group = (): fc.Arbitrary<readonly [string, ComposedFilter | readonly ComposedFilter[]]> => {
    const members = composedFilters(resource, { levels: below, isGroup: true })
    return fc.oneof(
      members.map((negated) => ['not', negated] as const),
      fc
        .tuple(
          fc.constantFrom('and', 'or', 'or'),
          fc.array(members, { minLength: 1, maxLength: 3 }),
        )
        .map(([form, filters]) => [form, filters] as const),
    )
  }
  const link = (): fc.Arbitrary<readonly [string, ComposedFilter]> =>
    fc.constantFrom(...links).chain(({ name, to, isList }) => {
      const filter = composedFilters(to, { levels: below, isGroup: !isList })
      return fc
        .tuple(filter, fc.constantFrom('some', 'every', 'none'))
        .map(([one, quantifier]) => [name, isList ? { [quantifier]: one } : one] as const)
    })
  const members = [
    { weight: 2, arbitrary: term },
    ...(levels > 1 ? [{ weight: 2, arbitrary: group() }] : []),
    ...(levels > 1 && links.length > 0 ? [{ weight: 2, arbitrary: link() }] : []),
  ]
  return fc
    .tuple(fc.array(fc.oneof(...members), { minLength: 1, maxLength: 2 }), deleted)
    .map(([entries, options]) => ({
      ...Object.fromEntries<ComposedFilter[string]>(entries),
      ...options,
    }))
}

const listComposed = async (resource: Resource, filter: ComposedFilter): Promise<string[]> => {
  const { records } = await listRecords(service.database, {
    resource,
    credentialIds: [A],
    filter: parseFilterInput({ catalogue, acceptsLinks: true }, resource, filter),
    order: defaultOrder,
    page: { size: 100, offset: 0, backward: false },
  })
  return sortedRemoteIds(records.map((record) => JSON.parse(record)))
}

describe.each(catalogue.resources.map((resource) => [resource.topic, resource] as const))(
  'random filters of %s',
  (_topic, resource) => {
    test('select the records that the oracle selects', async () => {
      let some = 0
      await fc.assert(
        fc.asyncProperty(filters(resource), async (input) => {
          const ids = expectedIds(resource, input)
          if (ids.length > 0) some += 1
          expect(await listOverRest(resource, input)).toEqual({ ids, count: ids.length })
        }),
        { seed: SEED, numRuns: 80 },
      )
      // Guards against a vacuous test: many of the filters select records.
      expect(some).toBeGreaterThan(10)
    })

    test('select the same records from the change log, as subscriptions do', async () => {
      const rows = await service.database.prisma.$queryRaw<{ record: string }[]>`
        SELECT record::text AS record FROM change_log.changes WHERE topic = ${resource.topic}`
      const records = rows.map(({ record }) => parseExactly(record))
      expect(records).toHaveLength(RECORDS)
      fc.assert(
        fc.property(filters(resource), (input) => {
          const filter = parseFilter(resource, parameterTexts(input))
          const matching = records.filter(
            (record) => unmetFields(resource, filter, A, record).length === 0,
          )
          expect(sortedRemoteIds(matching), JSON.stringify(input)).toEqual(
            expectedIds(resource, input),
          )
        }),
        { seed: SEED + 2, numRuns: 300 },
      )
    })

    test('select the records that the oracle selects, also when they are composed', async () => {
      let some = 0
      await fc.assert(
        fc.asyncProperty(
          composedFilters(resource, { levels: 3, isGroup: false }),
          async (filter) => {
            const ids = expectedIds(resource, filter)
            if (ids.length > 0) some += 1
            expect(await listComposed(resource, filter), JSON.stringify(filter)).toEqual(ids)
          },
        ),
        { seed: SEED + 3, numRuns: 40 },
      )
      expect(some).toBeGreaterThan(10)
    })

    test('select the same records over GraphQL', async () => {
      await fc.assert(
        fc.asyncProperty(filters(resource), async (filter) => {
          // A GraphQL number is a double, so other numbers cannot be sent.
          fc.pre(Object.values(filter).every(isExact))
          const ids = expectedIds(resource, filter)
          expect(await listOverGraph(resource, filter)).toEqual({ ids, count: ids.length })
        }),
        { seed: SEED + 1, numRuns: 20 },
      )
    })
  },
)
