import { type JsonSchema, refTo } from './schemas.ts'

/** The headers of every response. */
export const commonHeaders = ['x-request-id', 'RateLimit', 'RateLimit-Policy'] as const

/** The successful response of an operation. */
export const successResponse = (
  description: string,
  schema: JsonSchema,
  headers: readonly string[] = [],
) => ({
  description,
  headers: Object.fromEntries(
    [...commonHeaders, ...headers].map((name) => [name, refTo('headers', name)]),
  ),
  content: { 'application/json': { schema } },
})
