/** JSON that is nested too deeply is rejected with the name of its field, wherever free-form JSON is accepted. */
import { describe, expect, test } from 'vitest'
import { MAX_JSON_LEVELS } from '../../src/definition/json-depth.ts'
import { readError } from '../support/expected-error.ts'
import { documentOf, operationOf, restRequest, transports } from '../support/operations.ts'
import { CREDENTIAL, NEVER, shareServiceWithRecords } from '../support/service-with-records.ts'
import { USER_ERRORS } from '../support/user-errors.ts'

const harness = shareServiceWithRecords()

/** A placeholder for the nested lists, which cannot be built as values. */
const DEEP = '(deep)'
const nestedLists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

const exampleCase = (name: string, input: object): [string, string, object] => [
  name,
  // The first value names the field that holds the placeholder.
  Object.entries(input).find(([, value]) => value === DEEP)?.[0] ?? 'workflows[0].definition',
  { ...operationOf(name).example.input, ...input },
]

const places: readonly [string, string, object][] = [
  exampleCase('passthrough', { credentialId: CREDENTIAL, method: 'POST', body: DEEP }),
  exampleCase('passthrough', { credentialId: CREDENTIAL, query: DEEP }),
  exampleCase('passthrough', { credentialId: CREDENTIAL, headers: DEEP }),
  exampleCase('createCredential', { credential: DEEP }),
  exampleCase('completeInstallation', { installationId: NEVER, data: DEEP }),
  exampleCase('defineIntegration', {
    workflows: [{ slug: 'orders', name: 'Orders', definition: DEEP }],
  }),
]

type Send = (levels: number, headers: object) => ReturnType<typeof post>

const post = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  payload: string,
  headers = {},
) =>
  harness.service.server.inject({
    method,
    url,
    payload,
    headers: {
      authorization: `Bearer ${harness.tenant.key}`,
      accept: 'application/graphql-response+json, application/json',
      'content-type': 'application/json',
      ...headers,
    },
  })

const insertNestedLists = (body: object, levels: number): string =>
  JSON.stringify(body).replace(`"${DEEP}"`, nestedLists(levels))

const graphqlSender =
  (query: string, variables: object): Send =>
  (levels, headers) =>
    post('POST', '/graphql', insertNestedLists({ query, variables }, levels), headers)

const sendOperation = (
  transport: (typeof transports)[number],
  name: string,
  input: object,
): Send => {
  const operation = operationOf(name)
  const { method, url, body = {} } = restRequest(operation, { ...input })
  if (transport === 'REST')
    return (levels, headers) => post(method, url, insertNestedLists(body, levels), headers)
  const { credentialId } = input as { credentialId?: string }
  return graphqlSender(documentOf(operation), {
    ...(credentialId && { credentialId }),
    input: body,
  })
}

let keys = 0
const nextKeyHeader = () => ({ 'idempotency-key': `deep-${++keys}` })

/** Sends shallow and ever deeper JSON, with an idempotency key and without. */
const expectLimit = async (send: Send, field: string): Promise<void> => {
  for (const headers of [() => ({}), nextKeyHeader]) {
    const taken = await send(MAX_JSON_LEVELS, headers())
    expect(taken.body).not.toContain('levels deep')
    for (const levels of [MAX_JSON_LEVELS + 1, 3000, 5000, 100_000])
      expect(readError(await send(levels, headers()), `${levels}`)).toMatchObject({
        code: 'INVALID_PARAMETER',
        message: `${field}: expected JSON at most ${MAX_JSON_LEVELS} levels deep.`,
      })
  }
}

describe.each(transports)('over %s', (transport) => {
  test.each(places)('%s rejects a %s that is too deep', async (name, field, values) => {
    await expectLimit(sendOperation(transport, name, values), field)
  })

  test('an order rejects remoteFields that are too deep', async () => {
    const input = { remoteFields: DEEP }
    const send =
      transport === 'REST'
        ? (levels: number, headers: object) =>
            post(
              'PUT',
              `/2024-03/one/commerce/orders/1?credentialId=${CREDENTIAL}`,
              insertNestedLists(input, levels),
              headers,
            )
        : graphqlSender(
            `mutation ($id: ID!, $input: CommerceOrderUpdateInput!) { updateCommerceOrder(credentialId: $id, id: "1", input: $input) { order { id } ${USER_ERRORS} } }`,
            { id: CREDENTIAL, input },
          )
    await expectLimit(send, 'remoteFields')
  })
})

test('lists in the text of a GraphQL document have the same limit', async () => {
  const send = (levels: number, headers: object) =>
    post(
      'POST',
      '/graphql',
      JSON.stringify({
        query: `mutation { updateCommerceOrder(credentialId: "${CREDENTIAL}", id: "1", input: { remoteFields: ${nestedLists(levels)} }) { order { id } ${USER_ERRORS} } }`,
      }),
      headers,
    )
  // A document is compiled from its second run on.
  for (const headers of [{}, nextKeyHeader(), {}, nextKeyHeader()]) {
    expect(readError(await send(MAX_JSON_LEVELS + 1, headers)).message).toBe(
      `remoteFields: expected JSON at most ${MAX_JSON_LEVELS} levels deep.`,
    )
    readError(await send(1900, headers))
  }
})

test('a nested list is rejected at any depth where free-form JSON is not accepted', async () => {
  const url = `/2024-03/one/accounting/vendors/1?credentialId=${CREDENTIAL}`
  for (const levels of [3000, 100_000])
    for (const field of ['vendorName', 'addresses', 'nope']) {
      const headers = nextKeyHeader()
      const rest = await post(
        'PUT',
        url,
        insertNestedLists({ vendorName: 'x', [field]: DEEP }, levels),
        headers,
      )
      expect(readError(rest, field).code).toBe('INVALID_PARAMETER')
      const requested = graphqlSender(
        `mutation ($id: ID!, $input: AccountingVendorUpdateInput!) { updateAccountingVendor(credentialId: $id, id: "1", input: $input) { vendor { id } ${USER_ERRORS} } }`,
        { id: CREDENTIAL, input: { vendorName: 'x', [field]: DEEP } },
      )
      for (const _again of [1, 2, 3]) readError(await requested(levels, nextKeyHeader()), field)
    }
})
