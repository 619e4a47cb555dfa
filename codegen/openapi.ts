import type { Catalogue } from '../src/definition/catalogue.ts'
import { printJson } from './json.ts'
import { errorSchemas, failureResponses } from './openapi/failures.ts'
import { operationFailures, operationSchemas } from './openapi/operations.ts'
import { parameterComponents } from './openapi/parameters.ts'
import { paths, tagGroups, tags } from './openapi/paths.ts'
import { writeSchemas } from './openapi/record-writes.ts'
import { recordSchemas } from './openapi/schemas.ts'

const description = `One API over the accounting, CRM and commerce apps that a product's customers use.

Every question names a **credential**: an end user's authorised connection to one app. Records are read
from the store, in one model whatever the app.

- **Keys.** \`Authorization: Bearer …\` with an API key of one environment. What an end user may ask from a
  frontend also takes a token of that user.
- **Identifiers.** Wherever an id is taken, the service's \`id\` and the app's \`remoteId\` are both good.
- **Pages.** \`pageNumber\` and \`pageSize\`, or \`cursor\` with the \`Next-Cursor\` of the page before, which costs
  the same at any depth and loses nothing while records change.
- **Deleted records** stay, with \`remoteDeleted: true\`. Lists leave them out unless asked.
- **Times** are ISO 8601 in UTC with milliseconds. In filters, a bare date stands for its whole day.
- **Null** is what the app does not say. Every value can be null but \`id\`, \`remoteId\`, \`remoteDeleted\`,
  \`createdAt\`, \`updatedAt\` and lists.
- **Writes** go to the app first. Sent again with the same \`Idempotency-Key\`, one is done once and answered
  the same; \`If-Match\` with the \`ETag\` of a record keeps what changed since from being overwritten.
- **Failures** have one form: a \`code\` for programs, a \`message\` for people, the \`details\` field by field,
  and the \`requestId\`. A method that an address does not take is answered with 405 and \`Allow\`, an address
  of nothing with 404.
- **Limits.** Where there is one, \`RateLimit\` says how many requests are left; a 429 says in \`Retry-After\`
  when to go on.`

const headers = {
  'x-request-id': {
    description: 'Identifier of the request, for questions about it.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  ETag: {
    description: 'The version of the record, for If-Match.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'How many requests the caller has left, and in how many seconds it has all again, where there is a limit.',
    schema: { type: 'string', examples: ['"caller";r=598;t=42'] },
  },
  'RateLimit-Policy': {
    description:
      'How many requests a caller has, and for how many seconds, where there is a limit.',
    schema: { type: 'string', examples: ['"caller";q=600;w=60'] },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750).',
    required: true,
    schema: { type: 'string' },
  },
  'Idempotency-Replayed': {
    description: 'true: an earlier request with this Idempotency-Key was answered so.',
    schema: { const: 'true' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the request is sent again, where that is known.',
    schema: { type: 'integer', minimum: 1 },
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
    'x-tagGroups': tagGroups(catalogue),
    paths: paths(catalogue),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, `tl_dev_…` or `tl_prod_…`: it opens one environment.',
        },
        userToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'The token of one end user, for the frontend: it opens what is the user’s own.',
        },
      },
      headers,
      parameters: parameterComponents(catalogue),
      responses: failureResponses(operationFailures),
      schemas: {
        ...recordSchemas(catalogue),
        ...writeSchemas(catalogue),
        ...operationSchemas(),
        ...errorSchemas,
      },
    },
  }
  return `${printJson(document)}\n`
}
