import type { Catalogue } from '../src/definition/catalogue.ts'
import { printJson } from './json.ts'
import { errorSchemas, failureResponses } from './openapi/failures.ts'
import { groupSchemas } from './openapi/group-schemas.ts'
import { operationFailures, operationSchemas } from './openapi/operations.ts'
import { parameterComponents } from './openapi/parameters.ts'
import { paths, tagGroups, tags } from './openapi/paths.ts'
import { writeSchemas } from './openapi/record-writes.ts'
import { recordSchemas } from './openapi/schemas.ts'
import { messageHeaders, webhooks } from './openapi/webhooks.ts'

const description = `One API over the accounting, CRM and commerce apps that a product's customers use.

Every request for records names a **credential**: an end user's connection to one app. Reads are served from
Trunkline's database, in one unified model for all apps.

- **Authentication.** Send \`Authorization: Bearer …\` with an API key of one environment. Some operations also
  accept a user token, which a frontend may hold. Manage keys with the operations under \`/2024-03/api-keys\` or
  with \`trunkline keys\` on the server.
- **Allowlists.** If an app accepts only known IP addresses, allow the \`outboundAddress\` of
  \`GET /2024-03/metadata/credentials\`.
- **GraphQL** reads the same records at \`/graphql\`. Its schema is at [/schema.graphql](/schema.graphql).
- **Identifiers.** Every parameter that takes an id accepts the service's \`id\` and the app's \`remoteId\`.
- **Pagination.** Use \`pageNumber\` and \`pageSize\`, or \`cursor\` with the \`Next-Cursor\` header of the previous
  page. A cursor has the same cost at any depth and skips no records while the list changes.
- **Deleted records** stay available with \`remoteDeleted: true\`. Lists exclude them unless \`includeDeleted\` is
  \`true\`.
- **Timestamps** are ISO 8601 in UTC with milliseconds. In filters, a date without a time covers the whole day.
- **Null** means that the app has no value. Every field of a record can be null, even if required on create
  (\`vendorName\`), because apps omit fields. Exceptions are \`id\`, \`remoteId\`, \`remoteDeleted\`, \`createdAt\`,
  \`updatedAt\` and lists, which are never null.
- **Webhooks.** A subscription receives the changes of its topics, or of all topics (\`*\`). The messages of the
  topics are documented with the operations under Webhooks.
- **Writes** are sent to the app first. A retry with the same \`Idempotency-Key\` does not write again and returns
  the original response. \`If-Match\` with the \`ETag\` of a record rejects the write if the record has changed.
- **Errors** have one form: a \`code\` for programs, a \`message\` for people, \`details\` per field, and the
  \`requestId\`. An unsupported method returns 405 with \`Allow\`, an unknown path 404.
- **Rate limits.** \`RateLimit\` contains the number of remaining requests, if a limit is configured. After a 429
  or 503, wait for the number of seconds in \`Retry-After\`.`

const headers = {
  'x-request-id': {
    description: 'The id of the request. Include it in support requests.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  ETag: {
    description: 'The version of the record. Send it in If-Match.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'The remaining requests of the caller and the seconds until the limit resets. Absent without a limit.',
    schema: { type: 'string', examples: ['"caller";r=598;t=42'] },
  },
  'RateLimit-Policy': {
    description:
      'The number of requests per caller and the length of the window in seconds. Absent without a limit.',
    schema: { type: 'string', examples: ['"caller";q=600;w=60'] },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750).',
    required: true,
    schema: { type: 'string' },
  },
  'Idempotency-Replayed': {
    description:
      'true if this is the stored response to an earlier request with the same Idempotency-Key.',
    schema: { const: 'true' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt, if known.',
    schema: { type: 'integer', minimum: 1 },
  },
  'Next-Cursor': {
    description: 'The cursor of the next page. Absent on the last page.',
    schema: { type: 'string' },
  },
  'Synced-At': {
    description:
      'What had changed in the app by this time is in the response: the start of the last completed sync. Only with maxStalenessSeconds, and absent if no sync has completed.',
    schema: { type: 'string', format: 'date-time' },
  },
  Link: {
    description: 'The URL of the next page (RFC 8288), `<…>; rel="next"`. Absent on the last page.',
    schema: { type: 'string' },
  },
}

/** The text of `src/generated/openapi.json`: the OpenAPI document of the REST API. */
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
    servers: [{ url: '/', description: 'The server of this document.' }],
    security: [{ apiKey: [] }],
    tags: tags(catalogue),
    'x-tagGroups': tagGroups(catalogue),
    paths: paths(catalogue),
    webhooks: webhooks(catalogue),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key, `tl_dev_…` or `tl_prod_…`. It grants access to one environment.',
        },
        userToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'A user token for a frontend. It grants access to the data of one end user.',
        },
      },
      headers,
      parameters: {
        ...parameterComponents(catalogue),
        ...Object.fromEntries(messageHeaders.map((header) => [header.name, header])),
      },
      responses: failureResponses(operationFailures),
      schemas: {
        ...recordSchemas(catalogue),
        ...groupSchemas(catalogue),
        ...writeSchemas(catalogue),
        ...operationSchemas(),
        ...errorSchemas,
      },
    },
  }
  return `${printJson(document)}\n`
}
