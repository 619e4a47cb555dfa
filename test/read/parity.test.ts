/** REST and GraphQL return the same data and the same errors for every resource. */
import { describe, expect, test } from 'vitest'
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { filterParameters } from '../../src/query/filter.ts'
import { sampleRecord } from '../support/sample.ts'
import { selectAllFields } from '../support/selection.ts'
import { CREDENTIAL, shareServiceWithRecords } from '../support/service-with-records.ts'

const RECORDS = 7

const harness = shareServiceWithRecords(RECORDS)

/** The same list over REST and over GraphQL. */
const listBoth = async (
  resource: Resource,
  parameters: Readonly<Record<string, string>>,
  typed: Readonly<Record<string, unknown>>,
) => {
  const query = new URLSearchParams({ credentialId: CREDENTIAL, ...parameters })
  const rest = await harness.rest(`${resource.restPath}?${query}`)
  const count = await harness.rest(`${resource.restPath}/count?${query}`)
  const graph = await harness.service.graphql(
    harness.tenant.key,
    `query ($filter: ${resource.typeName}Filter) {
      list: ${resource.listField}(credentialId: "${CREDENTIAL}", filter: $filter) {
        totalCount nodes { ${selectAllFields(resource)} }
      }
    }`,
    { filter: typed },
  )
  return { rest, count, graph }
}

/** A value in a query parameter that holds several. */
const escapeListItem = (value: unknown): string => String(value).replace(/[\\,]/g, '\\$&')

describe.each(catalogue.resources.map((resource) => [resource.topic, resource] as const))(
  '%s',
  (_topic, resource) => {
    test('lists the same records', async () => {
      const { rest, count, graph } = await listBoth(resource, {}, {})
      expect(graph.errors).toEqual([])
      expect(rest.statusCode).toBe(200)
      expect(Object.keys(rest.json())).toEqual([resource.plural])
      expect(rest.json()[resource.plural]).toHaveLength(RECORDS)
      expect(graph.data.list.nodes).toEqual(rest.json()[resource.plural])
      expect(count.json()).toEqual({ count: graph.data.list.totalCount })
      expect(graph.data.list.totalCount).toBe(RECORDS)
    })

    test('gets the same record by id and by remote id', async () => {
      const listed = await harness.rest(`${resource.restPath}?credentialId=${CREDENTIAL}`)
      const record = listed
        .json()
        [resource.plural].find((record: { remoteId: string }) => record.remoteId === '2')
      for (const id of [record.id, '2']) {
        const rest = await harness.rest(`${resource.restPath}/${id}?credentialId=${CREDENTIAL}`)
        const graph = await harness.service.graphql(
          harness.tenant.key,
          `{ one: ${resource.getField}(credentialId: "${CREDENTIAL}", id: "${id}") { ${selectAllFields(resource)} } }`,
        )
        expect(rest.json()).toEqual({ [resource.name]: record })
        expect(graph.data.one).toEqual(record)
      }
      const node = await harness.service.graphql(
        harness.tenant.key,
        `{ node(id: "${record.id}") { __typename ... on ${resource.typeName} { ${selectAllFields(resource)} } } }`,
      )
      expect(node.data.node).toEqual({ __typename: resource.typeName, ...record })
    })

    test('every filter selects the same records', async () => {
      const sample = sampleRecord(CREDENTIAL, resource, 2)
      for (const { name, field, definition, operator } of filterParameters(resource).values()) {
        const kind = definition.kind.name
        const stored = sample[field] ?? '2024-01-02T00:00:00.000Z'
        const takesDay = kind === 'date' && (operator === 'equals' || operator === 'in')
        const value = takesDay ? String(stored).slice(0, 10) : stored
        const typed = kind === 'number' || kind === 'decimal' ? Number(value) : value
        const isNull = sample[field] == null
        const { rest, count, graph } =
          operator === 'isNull'
            ? await listBoth(resource, { [name]: String(isNull) }, { [name]: isNull })
            : operator === 'in'
              ? await listBoth(resource, { [name]: escapeListItem(value) }, { [name]: [typed] })
              : await listBoth(resource, { [name]: String(value) }, { [name]: typed })
        expect(graph.errors, name).toEqual([])
        expect(rest.statusCode, `${name} ${rest.body}`).toBe(200)
        expect(graph.data.list.nodes, name).toEqual(rest.json()[resource.plural])
        expect(count.json().count, name).toBe(rest.json()[resource.plural].length)
        // Compared with values of record `2` itself, every filter selects it, except inequality and times of storing.
        const ids = rest
          .json()
          [resource.plural].map(({ remoteId }: { remoteId: string }) => remoteId)
        if (field !== 'createdAt' && field !== 'updatedAt' && field !== 'remoteDeleted')
          expect(ids.includes('2'), `${name}=${value}`).toBe(operator !== 'notEquals')
      }
    })

    test('rejects the same input with the same code', async () => {
      const cases = [
        { query: 'pageSize=0', args: 'first: 0' },
        { query: 'pageSize=101', args: 'first: 101' },
        { query: 'cursor=zz', args: 'after: "zz"' },
        {
          query: 'remoteCreatedAtMin=2024-02-30',
          args: 'filter: { remoteCreatedAtMin: "2024-02-30" }',
        },
        { query: 'remoteId=%00', args: String.raw`filter: { remoteId: "\u0000" }` },
      ]
      for (const { query, args } of cases) {
        const rest = await harness.rest(`${resource.restPath}?credentialId=${CREDENTIAL}&${query}`)
        const graph = await harness.service.graphql(
          harness.tenant.key,
          `{ ${resource.listField}(credentialId: "${CREDENTIAL}", ${args}) { nodes { id } } }`,
        )
        expect(rest.statusCode, query).toBe(400)
        expect(graph.status, args).toBe(400)
        expect(graph.errors[0]?.extensions.code, args).toBe(rest.json().error.code)
      }
      const unknown = '99999999-0000-4000-8000-000000000009'
      const rest = await harness.rest(`${resource.restPath}?credentialId=${unknown}`)
      const graph = await harness.service.graphql(
        harness.tenant.key,
        `{ ${resource.listField}(credentialId: "${unknown}") { nodes { id } } }`,
      )
      expect([rest.statusCode, rest.json().error.code]).toEqual([404, 'CREDENTIAL_NOT_FOUND'])
      expect([graph.status, graph.errors[0]?.extensions.code]).toEqual([
        404,
        'CREDENTIAL_NOT_FOUND',
      ])
    })
  },
)
