import {
  type AppFailure,
  type AppResponse,
  defineConnector,
} from '../../../src/definition/connector.ts'
import { accounts } from './account.ts'

/** The failure of a response (NOTES "errors"). A status without a case here has its usual meaning. */
const readFailure = ({ status, body }: AppResponse): AppFailure | undefined => {
  if (status < 400) return
  const { message, field } = Object(Object(body).error)
  const reason = typeof message === 'string' ? message : `it answered ${status}`
  if (status === 404) return { kind: 'absent', reason }
  if (status === 403) return { kind: 'authentication', reason }
  if (status === 422)
    return { kind: 'refused', reason, ...(typeof field === 'string' && { field }) }
  return
}

/** The connector of Template. */
export const connector = defineConnector({
  app: 'template',
  name: 'Template',
  doc: 'The accounts of Template.',
  auth: {
    token: {
      type: 'apiKey',
      fields: {
        url: { doc: 'Address of the API.', secret: false, example: 'https://api.vendor.example' },
        token: { doc: 'API token, from Settings > API.', secret: true },
      },
      baseUrl: '{url}',
      request: { headers: { authorization: 'Bearer {token}' } },
    },
  },
  readFailure,
  check: { method: 'GET', path: '/accounts?limit=1' },
  resources: { 'crm/accounts': accounts },
})
