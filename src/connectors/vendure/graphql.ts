/** Requests to Vendure's Admin API. */
import { graphqlApi } from '../../definition/graphql.ts'
import type { JsonObject } from '../../definition/mapping/rule.ts'
import { pascalCase } from '../../definition/resource.ts'

/** The path of the Admin API below the shop's address (NOTES "POST {url}/admin-api"). */
export const ADMIN_API = '/admin-api'

/** A mutation is sent once (NOTES "nothing is idempotent"). */
export const { query, read, mutation, mutate } = graphqlApi(ADMIN_API)

/**
 * Sends a mutation with one input, whose type Vendure names after it: `CreateProductInput`, and
 * `[UpdateProductVariantInput!]` for `updateProductVariants`.
 */
export const write = (name: string, input: JsonObject | readonly JsonObject[], parts = 'id') => {
  const signature = Array.isArray(input)
    ? `${name}(input: [${pascalCase(name.slice(0, -1))}Input!]!)`
    : `${name}(input: ${pascalCase(name)}Input!)`
  return mutate(signature, { input }, parts)
}

/** The selection for mutations that report errors in `data` (NOTES "domain errors are in data"). */
export const OR_ERROR = '... on ErrorResult { errorCode message }'
