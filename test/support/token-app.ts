/** An app whose access tokens come from the authorization server of the tests. */
import type { OAuthMethod } from '../../src/definition/auth.ts'
import { type Connector, defineConnector } from '../../src/definition/connector.ts'
import { defineMapping } from '../../src/definition/mapping.ts'
import { stage } from '../../src/resources/crm/stage.ts'
import type { AuthorizationServer } from './authorization-server.ts'

/** The OAuth client that the authorization server knows. */
export const tokenClient = { clientId: 'ours', clientSecret: 'client-secret-0123' }

/** The client metadata of `tokenClient`. */
export const tokenClientMetadata = {
  client_id: tokenClient.clientId,
  client_secret: tokenClient.clientSecret,
  redirect_uris: ['https://us.example/callback'],
}

/** A method of an app that no test calls. */
export const ledgerOAuth: OAuthMethod = {
  type: 'oauth2',
  fields: {},
  baseUrl: 'https://ledger.example',
  request: { headers: { authorization: 'Bearer {accessToken}' } },
  authorizationUrl: 'https://ledger.example/authorize',
  tokenUrl: 'https://ledger.example/token',
  clientAuthentication: 'basic',
  scopes: [],
  pkce: 'S256',
  refresh: 'rotating',
}

/** The connector of the app: by OAuth, by client credentials, and by a login with a name and a password. */
export const defineTokenConnector = ({ url }: Pick<AuthorizationServer, 'url'>): Connector => {
  const request = { headers: { authorization: 'Bearer {accessToken}' } }
  const common = { fields: {}, baseUrl: `${url}/api`, request } as const
  const endpoint = { tokenUrl: `${url}/token`, clientAuthentication: 'basic', scopes: [] } as const
  return defineConnector({
    app: 'ledger',
    name: 'Ledger',
    doc: 'An app for tests.',
    auth: {
      oauth: {
        ...common,
        ...endpoint,
        type: 'oauth2',
        pkce: 'S256',
        refresh: 'rotating',
        authorizationUrl: `${url}/auth`,
      },
      machine: {
        ...common,
        ...endpoint,
        type: 'clientCredentials',
        fields: {
          id: { doc: 'Client id.', secret: false },
          secret: { doc: 'Client secret.', secret: true },
        },
        client: { id: '{id}', secret: '{secret}' },
      },
      session: {
        ...common,
        type: 'session',
        fields: { password: { doc: 'Password.', secret: true } },
        login: ({ password = '' }) => ({ method: 'POST', path: '/login', body: { password } }),
        readLogin: ({ body }) => ({ accessToken: Object(body).token, expiresInSeconds: 60 }),
      },
    },
    readFailure: () => undefined,
    check: { method: 'GET', path: '/check' },
    resources: {
      'crm/stages': {
        mapping: defineMapping(stage, {
          remoteId: 'id',
          remoteCreatedAt: null,
          remoteUpdatedAt: null,
          remoteDeleted: null,
          stageName: 'name',
          pipelineName: null,
          displayOrder: null,
          probability: null,
        }),
        listRequest: () => ({ method: 'GET', path: '/stages' }),
        readList: () => ({ records: [], next: undefined }),
        sync: { changes: { by: 'full-listing' }, deletions: 'compared' },
      },
    },
  })
}
