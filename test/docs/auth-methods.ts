import type { AuthMethods } from '../../src/definition/auth.ts'

export const auth: AuthMethods = {
  apiKey: {
    type: 'apiKey',
    fields: {
      shop: { doc: 'Name of the shop.', secret: false, example: 'harbour-light' },
      key: { doc: 'API key, from Settings > API.', secret: true },
    },
    baseUrl: 'https://{shop}.shop.example/api',
    request: { headers: { 'x-api-key': '{key}' } },
  },
}
