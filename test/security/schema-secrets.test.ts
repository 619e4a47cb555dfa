/** No query and no subscription returns a secret; a walk over the schema finds every field that it can return. */
import {
  type GraphQLNamedType,
  getNamedType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { expect, test } from 'vitest'
import { buildSchema } from '../../src/api/graphql/schema.ts'
import { catalogue } from '../../src/generated/registry.ts'

const schema = buildSchema(catalogue)

/** Names of fields that may hold a secret, or an address that contains one. */
const SUSPECT = /secret|token|password|passphrase|signature|ticket|key|auth|urls?$/i

/** The suspect fields that hold none, each with the reason. */
const ALLOWED: ReadonlyMap<string, string> = new Map([
  ['Query.apiKeys', 'the keys without their secrets'],
  ['ApiKey.keyId', 'an id'],
  ['ConnectableAppField.secret', 'whether to hide a value while it is typed'],
  ['Query.authorization', 'its url is null, except in the payload of createAuthorization'],
  ['Authorization.authorizationId', 'an id'],
  ['Authorization.url', 'null, except in the payload of createAuthorization'],
  ['Query.oauthClients', 'the clients without their secrets'],
  ['OAuthClient.hasWebhookSecret', 'whether one is set'],
  ['Subscription.connectionAuthenticationFailure', 'an event'],
  ['AccountingCompanyInfo.companyUrls', 'of a record'],
  ['CommerceProduct.productUrl', 'of a record'],
  ['CommerceProductGroupKey.productUrl', 'of a record'],
  ['CommerceFulfillment.trackingUrls', 'of a record'],
  ...catalogue.resources.map(
    ({ typeName }) => [`${typeName}Group.key`, 'the values that a group has in common'] as const,
  ),
])

/** Every field that a selection below the root types can contain: `ApiKey.keyId`. */
const fieldsBelow = (roots: readonly GraphQLNamedType[]): readonly string[] => {
  const types = new Set(roots)
  const fields: string[] = []
  // A set also visits what is added on the way.
  for (const type of types) {
    if (isUnionType(type) || isInterfaceType(type))
      for (const possible of schema.getPossibleTypes(type)) types.add(possible)
    if (!isObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      fields.push(`${type.name}.${field.name}`)
      types.add(getNamedType(field.type))
    }
  }
  return fields
}

const suspectsBelow = (...roots: readonly (GraphQLNamedType | null | undefined)[]) =>
  fieldsBelow(roots.filter((root) => root != null)).filter((field) =>
    SUSPECT.test(field.split('.')[1] ?? ''),
  )

test('queries and subscriptions return none', () => {
  const found = suspectsBelow(schema.getQueryType(), schema.getSubscriptionType())
  // Compared for equality, so that the table cannot keep a field that no longer exists.
  expect(found.toSorted()).toEqual([...ALLOWED.keys()].toSorted())
})

test('what creates or returns one is a mutation', () => {
  const below = suspectsBelow(schema.getMutationType())
  expect(below).toEqual(
    expect.arrayContaining([
      'CreateUserTokenPayload.token',
      'RevealWebhookSecretPayload.secret',
      'RotateWebhookSecretPayload.secret',
      'RevealIntegrationSecretPayload.secret',
      'RotateIntegrationSecretPayload.secret',
      'NewApiKey.key',
      'RegeneratedApiKey.key',
      'OAuthUrl.oauthUrl',
    ]),
  )
})
