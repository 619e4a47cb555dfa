import type { Catalogue } from '../src/definition/catalogue.ts'
import { printJson } from './json.ts'
import { errorSchemas, failureResponses } from './openapi/failures.ts'
import { parameterComponents } from './openapi/parameters.ts'
import { paths, tags } from './openapi/paths.ts'
import { recordSchemas } from './openapi/schemas.ts'

const description = `One API over the accounting, CRM and commerce apps that a product's customers use.

Every question names a **credential**: an end user's authorised connection to one app. Records are read
from the store, in one model whatever the app.

- **Identifiers.** Wherever an id is taken, the service's \`id\` and the app's \`remoteId\` are both good.
- **Pages.** \`pageNumber\` and \`pageSize\`, or \`cursor\` with the \`Next-Cursor\` of the page before, which costs
  the same at any depth and loses nothing while records change.
- **Deleted records** stay, with \`remoteDeleted: true\`. Lists leave them out unless asked.
- **Times** are ISO 8601 in UTC with milliseconds. In filters, a bare date stands for its whole day.
- **Null** is what the app does not say. Every value can be null but \`id\`, \`remoteId\`, \`remoteDeleted\`,
  \`createdAt\`, \`updatedAt\` and lists.`

const headers = {
  'x-request-id': {
    description: 'Identifier of the request, for questions about it.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  'Next-Cursor': {
    description: 'The cursor of the next page; absent on the last.',
    schema: { type: 'string' },
  },
  Link: {
    description: 'The address of the next page (RFC 8288), `<…>; rel="next"`; absent on the last.',
    schema: { type: 'string' },
  },
}

/** `src/generated/openapi.json`: what can be asked over REST, and what is answered. */
export const openapiSource = (catalogue: Catalogue): string => {
  const document = {
    'x-generated': 'By codegen.ts from the definitions in src/resources. Do not edit.',
    openapi: '3.1.0',
    info: {
      title: 'Trunkline',
      version: '2024-03',
      description,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The service that gave out this document.' }],
    security: [{ apiKey: [] }],
    tags: tags(catalogue),
    paths: paths(catalogue),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, `tl_dev_…` or `tl_prod_…`: it opens one environment.',
        },
      },
      headers,
      parameters: parameterComponents(catalogue.resources),
      responses: failureResponses,
      schemas: { ...recordSchemas(catalogue), ...errorSchemas },
    },
  }
  return `${printJson(document)}\n`
}
