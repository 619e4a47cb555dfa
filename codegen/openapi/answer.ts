import { type JsonSchema, refTo } from './schemas.ts'

/** What every answer can say. */
export const headersOfAll = ['x-request-id', 'RateLimit', 'RateLimit-Policy'] as const

/** A successful answer of an operation. */
export const answer = (
  description: string,
  schema: JsonSchema,
  headers: readonly string[] = [],
) => ({
  description,
  headers: Object.fromEntries(
    [...headersOfAll, ...headers].map((name) => [name, refTo('headers', name)]),
  ),
  content: { 'application/json': { schema } },
})
