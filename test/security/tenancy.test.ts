/**
 * Objects of another environment, organisation or user do not exist for a caller: every operation of every
 * resource, called by every stranger, responds as for an id that no one has.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { sampleRecord } from '../support/sample.ts'
import {
  type GraphQLResponse,
  startService,
  type Tenant,
  type TestService,
} from '../support/service.ts'

const MINE = 'aaaaaaaa-0000-4000-8000-000000000001'
const NEVER = '99999999-0000-4000-8000-000000000009'

let service: TestService
let owner: Tenant
/** Each has a credential of its own, with the same records. */
let otherCallers: readonly {
  readonly name: string
  readonly tenant: Tenant
  readonly own: string
}[]

beforeAll(async () => {
  service = await startService()
  owner = await service.createTenant('development', [MINE])
  const make = async (
    name: string,
    own: string,
    kind: 'development' | 'production',
    organisation: string,
  ) => ({ name, own, tenant: await service.createTenant(kind, [own], organisation) })
  otherCallers = [
    await make(
      'the other environment of the organisation',
      'bbbbbbbb-0000-4000-8000-000000000002',
      'production',
      'Test',
    ),
    await make(
      'the same environment of another organisation',
      'cccccccc-0000-4000-8000-000000000003',
      'development',
      'Other',
    ),
    await make(
      'the other environment of another organisation',
      'dddddddd-0000-4000-8000-000000000004',
      'production',
      'Other',
    ),
  ]
  for (const resource of catalogue.resources)
    for (const { tenant, id } of [
      { tenant: owner, id: MINE },
      ...otherCallers.map(({ tenant, own }) => ({ tenant, id: own })),
    ])
      await service.save(
        tenant,
        id,
        resource,
        [1, 2].map((n) => sampleRecord(id, resource, n)),
      )
})
afterAll(() => service.stop())

const sendRest = async (key: string, path: string) => {
  const response = await service.rest(key, path)
  const { 'x-request-id': requestId, date: _date, ...headers } = response.headers
  return {
    status: response.statusCode,
    headers,
    body: response.body.replaceAll(String(requestId), 'REQUEST'),
  }
}

/** The response without the parts that differ each time; a compiled operation reports no locations. */
const removeVaryingParts = ({ status, data, errors }: GraphQLResponse) => ({
  status,
  data,
  errors: errors.map(({ message, extensions: { requestId: _requestId, ...extensions } }) => ({
    message,
    extensions,
  })),
})

const sendGraphQL = async (key: string, query: string, variables: Record<string, unknown>) =>
  removeVaryingParts(await service.graphql(key, query, variables))

const TOPICS = catalogue.resources.map((resource) => [resource.topic, resource] as const)

describe.each(TOPICS)('%s', (_topic, resource: Resource) => {
  const ownId = recordId(MINE, resource.topic, '1')

  test('REST: a stranger gets no record by list, count or id', async () => {
    for (const { name, tenant, own } of otherCallers) {
      const listPaths = (credentialId: string, id: string) => [
        `${resource.restPath}?credentialId=${credentialId}`,
        `${resource.restPath}/count?credentialId=${credentialId}`,
        `${resource.restPath}/aggregate?credentialId=${credentialId}`,
        `${resource.restPath}/${id}?credentialId=${credentialId}`,
        `${resource.restPath}/1?credentialId=${credentialId}`,
      ]
      const never = recordId(NEVER, resource.topic, '1')
      const ofNever = listPaths(NEVER, never)
      for (const [index, path] of listPaths(MINE, ownId).entries()) {
        expect((await sendRest(owner.key, path)).status, path).toBe(200)
        const response = await sendRest(tenant.key, path)
        expect(response.status, `${name}: ${path}`).toBe(404)
        expect(response.body).toContain('"CREDENTIAL_NOT_FOUND"')
        expect(response).toEqual(await sendRest(tenant.key, ofNever[index] ?? ''))
      }
      // With a credential of the stranger's own.
      const [, , , foreign = ''] = listPaths(own, ownId)
      const [, , , absent = ''] = listPaths(own, never)
      const result = await sendRest(tenant.key, foreign)
      expect(result.status).toBe(404)
      expect(result).toEqual(await sendRest(tenant.key, absent))
    }
  })

  test('GraphQL: a stranger gets no record by list, id or node', async () => {
    const list = `query ($credentialId: ID, $credentialIds: [ID!], $userId: ID) {
      list: ${resource.listField}(credentialId: $credentialId, credentialIds: $credentialIds, userId: $userId) { totalCount nodes { id } }
    }`
    const get = `query ($credentialId: ID!, $id: ID!) { get: ${resource.getField}(credentialId: $credentialId, id: $id) { id } }`
    const node = 'query ($id: ID!) { node(id: $id) { id } }'
    for (const { name, tenant, own } of otherCallers) {
      const expectSameResponse = async (
        query: string,
        foreign: object,
        absent: object,
        expected: object,
      ) => {
        const response = await sendGraphQL(tenant.key, query, { ...foreign })
        expect(response, `${name}: ${query}`).toMatchObject(expected)
        expect(response).toEqual(await sendGraphQL(tenant.key, query, { ...absent }))
      }
      const notFound = (code: string) => ({ status: 404, errors: [{ extensions: { code } }] })
      const never = recordId(NEVER, resource.topic, '1')
      const noCredential = notFound('CREDENTIAL_NOT_FOUND')
      await expectSameResponse(list, { credentialId: MINE }, { credentialId: NEVER }, noCredential)
      await expectSameResponse(
        list,
        { credentialIds: [own, MINE] },
        { credentialIds: [own, NEVER] },
        noCredential,
      )
      await expectSameResponse(
        list,
        { userId: owner.userId },
        { userId: NEVER },
        notFound('USER_NOT_FOUND'),
      )
      await expectSameResponse(
        get,
        { credentialId: MINE, id: ownId },
        { credentialId: NEVER, id: never },
        noCredential,
      )
      await expectSameResponse(
        get,
        { credentialId: own, id: ownId },
        { credentialId: own, id: never },
        { status: 200, data: { get: null }, errors: [] },
      )
      await expectSameResponse(
        node,
        { id: ownId },
        { id: never },
        { status: 200, data: { node: null }, errors: [] },
      )
    }
    expect(await sendGraphQL(owner.key, list, { userId: owner.userId })).toMatchObject({
      data: { list: { totalCount: 2 } },
    })
    expect(await sendGraphQL(owner.key, get, { credentialId: MINE, id: ownId })).toMatchObject({
      data: { get: { id: ownId } },
    })
    expect(await sendGraphQL(owner.key, node, { id: ownId })).toMatchObject({
      data: { node: { id: ownId } },
    })
  })
})

test('a filter by another tenant’s record selects nothing', async () => {
  for (const { tenant, own } of otherCallers)
    for (const { path, plural, field, target } of catalogue.resources.flatMap((resource) =>
      Object.entries(resource.fields).flatMap(([name, field]) =>
        field.kind.reference && field.filters.length > 0
          ? [
              {
                path: resource.restPath,
                plural: resource.plural,
                field: name,
                target: field.kind.reference.target,
              },
            ]
          : [],
      ),
    )) {
      const id = recordId(MINE, target, '1')
      const response = await sendRest(tenant.key, `${path}?credentialId=${own}&${field}=${id}`)
      expect([response.status, JSON.parse(response.body)]).toEqual([200, { [plural]: [] }])
    }
})

test('a nested path below another tenant’s record responds as for one that never existed', async () => {
  const orderId = recordId(MINE, 'commerce/orders', '1')
  for (const { tenant, own } of otherCallers) {
    const base = `/commerce/orders/${orderId}/fulfillments`
    const list = await sendRest(tenant.key, `${base}?credentialId=${own}`)
    const nowhere = await sendRest(
      tenant.key,
      `/commerce/orders/${recordId(own, 'commerce/orders', 'never')}/fulfillments?credentialId=${own}`,
    )
    expect([list.status, list.body]).toEqual([404, nowhere.body])
    const get = await sendRest(tenant.key, `${base}/1?credentialId=${own}`)
    expect(get.status).toBe(404)
  }
})

test('a cursor of another tenant’s list shows none of its records', async () => {
  // One cursor carries its value, the other refers to the record.
  const accounts = catalogue.get('crm/accounts')
  await service.save(
    owner,
    MINE,
    accounts,
    [3, 4, 5].map((n) => ({
      ...sampleRecord(MINE, accounts, n),
      description: `${'m'.repeat(5000)}${n}`,
    })),
  )
  for (const orderBy of ['createdAt', 'description:desc']) {
    const page = await service.rest(
      owner.key,
      `/crm/accounts?credentialId=${MINE}&pageSize=1&orderBy=${orderBy}`,
    )
    const cursor = String(page.headers['next-cursor'])
    expect(page.json().accounts).toHaveLength(1)
    for (const { tenant, own } of otherCallers) {
      const response = await sendRest(
        tenant.key,
        `/crm/accounts?credentialId=${own}&orderBy=${orderBy}&cursor=${cursor}`,
      )
      expect(response.status).toBeLessThan(500)
      const shown: readonly { id: string }[] = JSON.parse(response.body).accounts ?? []
      for (const { id } of shown) expect(id.slice(0, 8)).toBe(own.slice(0, 8))
    }
  }
})

test('links and back references stay within the credential', async () => {
  const vendors = catalogue.get('accounting/vendors')
  const payments = catalogue.get('accounting/payments')
  const [{ tenant, own } = { tenant: owner, own: MINE }] = otherCallers
  // The stranger's app names a vendor by the owner's id, which is only a text of that app.
  const claimed = recordId(MINE, vendors.topic, '1')
  await service.save(tenant, own, payments, [
    { ...sampleRecord(own, payments, 1), vendorId: recordId(own, vendors.topic, claimed) },
  ])
  const { data, errors } = await service.graphql(
    tenant.key,
    `{ accountingPayments(credentialId: "${own}", filter: { remoteId: "1" }) { nodes { vendorId vendor { id } } } }`,
  )
  expect(errors).toEqual([])
  expect(data.accountingPayments.nodes[0].vendor).toBe(null)
  const incoming = await service.graphql(
    owner.key,
    `{ accountingVendor(credentialId: "${MINE}", id: "1") { payments { nodes { credentialId } } } }`,
  )
  expect(incoming.data.accountingVendor.payments.nodes).toEqual([{ credentialId: MINE }])
})
