/** The connector for HubSpot. @see NOTES.md for HubSpot's behaviour */
import type { AppAccount } from '../../definition/auth.ts'
import { type AppResponse, defineConnector } from '../../definition/connector.ts'
import { valuesOf } from '../../definition/raw-values.ts'
import { companyResource } from './company.ts'
import { contactResource } from './contact.ts'
import { dealResource } from './deal.ts'
import { leadResource } from './lead.ts'
import { limits } from './limits.ts'
import { noteResource } from './note.ts'
import { ACCOUNT_PATH } from './object-type.ts'
import { ownerResource } from './owner.ts'
import { portal } from './portal.ts'
import { readFailure } from './read-failure.ts'
import { stageResource } from './stage.ts'
import { taskResource } from './task.ts'
import { webhooks } from './webhooks.ts'

const BASE_URL = 'https://api.hubapi.com'
const TOKEN_URL = `${BASE_URL}/oauth/2026-03/token`

const account = { method: 'GET', path: ACCOUNT_PATH } as const

/** The account that a token opens. */
const readAccount = ({ body }: AppResponse): AppAccount => {
  const { portalId } = valuesOf(body)
  if (portalId === undefined) throw new Error('The response of HubSpot has no portalId.')
  const id = String(portalId)
  return { id, label: `HubSpot ${id}`, values: { portalId: id } }
}

export const connector = defineConnector({
  app: 'hubspot',
  name: 'HubSpot',
  doc: 'A CRM. Leads need a subscription to Sales Hub.',
  auth: {
    oauth: {
      type: 'oauth2',
      label: 'Sign in with HubSpot',
      fields: {},
      baseUrl: BASE_URL,
      request: { headers: { authorization: 'Bearer {accessToken}' } },
      authorizationUrl: 'https://app.hubspot.com/oauth/authorize',
      tokenUrl: TOKEN_URL,
      revocationUrl: `${TOKEN_URL}/revoke`,
      clientAuthentication: 'body',
      pkce: 'S256',
      scopes: [
        'oauth',
        'crm.objects.companies.read',
        'crm.objects.companies.write',
        'crm.objects.contacts.read',
        'crm.objects.contacts.write',
        'crm.objects.deals.read',
        'crm.objects.deals.write',
        'crm.objects.owners.read',
        'crm.schemas.companies.read',
        'crm.schemas.contacts.read',
        'crm.schemas.deals.read',
      ],
      // NOTES "leads"
      authorizationParameters: { optional_scope: 'crm.objects.leads.read crm.objects.leads.write' },
      accounts: {
        request: account,
        valueNames: ['portalId'],
        read: (response) => [readAccount(response)],
      },
      defaultLifetimeSeconds: 1800,
      refresh: 'constant',
    },
    privateApp: {
      type: 'apiKey',
      label: 'Access token of a private app',
      fields: {
        token: {
          label: 'Access token',
          doc: 'From Settings > Integrations > Private Apps; it starts with pat-.',
          secret: true,
        },
      },
      baseUrl: BASE_URL,
      request: { headers: { authorization: 'Bearer {token}' } },
    },
  },
  readFailure,
  check: account,
  readAccountName: ({ body }) => {
    const { portalId } = valuesOf(body)
    return portalId === undefined ? undefined : `HubSpot ${portalId}`
  },
  context: portal,
  limits,
  webhooks,
  resources: {
    'crm/accounts': companyResource,
    'crm/contacts': contactResource,
    'crm/leads': leadResource,
    'crm/notes': noteResource,
    'crm/opportunities': dealResource,
    'crm/stages': stageResource,
    'crm/tasks': taskResource,
    'crm/users': ownerResource,
  },
})
