import { type AppFailure, type AppResponse, defineConnector } from '../../definition/connector.ts'
import { isObject } from '../../definition/value.ts'
import { accounts } from './account.ts'
import { bills, invoices } from './document.ts'
import { customers, vendors } from './party.ts'

/** The failure of a response (NOTES "errors"). */
const readFailure = ({ status, body }: AppResponse): AppFailure | undefined => {
  if (status === 404) return { kind: 'absent', reason: 'it has no such record' }
  if (status !== 400 || !isObject(body) || !Array.isArray(body.errors)) return
  const { type, message, data } = Object(body.errors[0])
  const { field } = Object(data)
  return {
    kind: 'refused',
    reason: String(message ?? type),
    ...(typeof field === 'string' && { field }),
  }
}

/** The connector of GnuCash's REST server. */
export const connector = defineConnector({
  app: 'gnucash',
  name: 'GnuCash',
  doc: "A book of GnuCash, by the REST server that comes with its Python bindings. The server has no authentication: run it in this service's private network.",
  auth: {
    address: {
      type: 'apiKey',
      fields: {
        url: {
          doc: 'Address of the REST server.',
          secret: false,
          example: 'http://gnucash.internal:5000',
        },
      },
      baseUrl: '{url}',
      request: {},
    },
  },
  readFailure,
  // The shortest response of all that every book has.
  check: { method: 'GET', path: '/vendors' },
  resources: {
    'accounting/accounts': accounts,
    'accounting/bills': bills,
    'accounting/customers': customers,
    'accounting/invoices': invoices,
    'accounting/vendors': vendors,
  },
})
