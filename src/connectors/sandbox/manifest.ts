/** Manifest of the sandbox, an app with records of every kind for trials and tests. */
import type { AppAccount } from '../../definition/auth.ts'
import { type AppFailure, type AppResponse, defineConnector } from '../../definition/connector.ts'
import { valuesOf } from '../../definition/raw-values.ts'
import { catalogue } from '../../generated/catalogue.ts'
import { collection } from './collection.ts'

// Handled in this process: the host does not exist.
const ORIGIN = 'http://sandbox.trunkline.internal'

const kindOf = (status: number, reason: unknown): AppFailure['kind'] => {
  if (status === 401) return 'authentication'
  if (status === 429) return 'rate-limited'
  if (status >= 500) return 'unavailable'
  if (status === 409 && reason === 'stale_version') return 'conflict'
  // A 422 with this reason is about a record that a field references.
  if (status === 404 && reason === 'no_such_record') return 'absent'
  return 'refused'
}

const readFailure = ({ status, body }: AppResponse): AppFailure | undefined => {
  if (status < 400) return
  const { reason = 'no reason given', field, message } = valuesOf(valuesOf(body).error)
  const kind = kindOf(status, reason)
  if (typeof field !== 'string') return { kind, reason: String(message ?? reason) }
  // `no_such_record (lines.0.item)`
  return { kind, reason: String(message ?? `${reason} (${field})`), field }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

/** The companies that an access token opens. @throws TypeError */
const readCompanies = ({ body }: AppResponse): readonly AppAccount[] => {
  const { items } = Object(body)
  if (!Array.isArray(items)) throw new TypeError('The list of companies has no items.')
  return items.map(({ tenant, name }) => {
    if (typeof tenant !== 'string') throw new TypeError('A company has no tenant.')
    return { id: tenant, label: textOf(name) ?? tenant, values: { tenant } }
  })
}

/** The connector of the sandbox. */
export const connector = defineConnector({
  app: 'sandbox',
  name: 'Sandbox',
  doc: 'A fictional company with books, a CRM and a web shop, for trying out the API. Its data changes over time.',
  auth: {
    token: {
      type: 'apiKey',
      fields: {
        tenant: {
          doc: 'Name of the sandbox company: lowercase letters, digits and hyphens. A new name creates a new company.',
          secret: false,
          example: 'harbour-light',
        },
        token: {
          doc: 'Token of the company. For a new company, choose any token.',
          secret: true,
          example: 'open-sesame',
        },
      },
      baseUrl: ORIGIN,
      request: { headers: { authorization: 'Bearer {token}', 'sandbox-tenant': '{tenant}' } },
    },
    oauth: {
      type: 'oauth2',
      label: 'Sign in to the sandbox',
      fields: {},
      // A page of this service.
      authorizationUrl: '/sandbox/oauth/authorize',
      tokenUrl: `${ORIGIN}/oauth/token`,
      revocationUrl: `${ORIGIN}/oauth/revoke`,
      issuer: ORIGIN,
      pkce: 'S256',
      clientAuthentication: 'basic',
      scopes: [],
      accounts: {
        request: { method: 'GET', path: '/v1/tenants' },
        valueNames: ['tenant'],
        read: readCompanies,
      },
      refresh: 'rotating',
      baseUrl: ORIGIN,
      request: { headers: { authorization: 'Bearer {accessToken}', 'sandbox-tenant': '{tenant}' } },
    },
  },
  readFailure,
  // Creates the company if the name is new; NOTES "`PUT /v1/tenant` accepts the tenant's token".
  check: { method: 'PUT', path: '/v1/tenant' },
  readAccountName: ({ body }) => textOf(Object(body).name),
  resources: Object.fromEntries(
    catalogue.resources.map((resource) => [resource.topic, collection(resource)]),
  ),
})
