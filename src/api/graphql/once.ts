/** Idempotent mutation fields: one execution for each Idempotency-Key. */
import type { GraphQLResolveInfo } from 'graphql'
import { ApiError, type ErrorDetail } from '../../errors.ts'
import { type Attempt, type IdempotentRequest, runIdempotently } from '../idempotency.ts'
import { callerOf, type GraphContext } from './builder.ts'

/** The stored form of an error, to throw it again. */
interface StoredError {
  readonly code: ApiError['code']
  readonly message: string
  readonly details: readonly ErrorDetail[]
}

/**
 * Runs a mutation field once for each Idempotency-Key. Each field of a document has its own scope for the key,
 * under its response name.
 * @returns the result as JSON text
 */
export const resolveIdempotently = async (
  context: GraphContext,
  { fieldName, path }: GraphQLResolveInfo,
  { args, ...options }: Pick<IdempotentRequest, 'isLocal' | 'check'> & { readonly args: unknown },
  work: (attempt: Attempt) => Promise<string>,
): Promise<string> => {
  const { status, body } = await runIdempotently(
    context.idempotencyStore,
    {
      caller: callerOf(context),
      key: context.idempotencyKey,
      scope: `graphql ${path.key}`,
      content: [fieldName, args],
      ...options,
    },
    async (attempt) => ({ status: 200, body: await work(attempt) }),
    ({ status: errorStatus, code, message, details }) => ({
      status: errorStatus,
      body: JSON.stringify({ code, message, details } satisfies StoredError),
    }),
  )
  if (status === 200) return body
  // The function above stored this JSON.
  const { code, message, details } = JSON.parse(body) as StoredError
  throw new ApiError(code, message, details)
}
