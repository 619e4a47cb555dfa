/** A mutation field is done once for each Idempotency-Key. */
import type { GraphQLResolveInfo } from 'graphql'
import { ApiError, type ErrorDetail } from '../../errors.ts'
import { type Attempt, idempotently, type RepeatableRequest } from '../idempotency.ts'
import { callerOf, type GraphContext } from './builder.ts'

/** A refusal as it is kept: what is needed to refuse again. */
interface KeptRefusal {
  readonly code: ApiError['code']
  readonly message: string
  readonly details: readonly ErrorDetail[]
}

/**
 * Does the work of one mutation field once for each Idempotency-Key. A document may have several fields:
 * each has the key to itself, under the name that the answer gives it.
 * @returns the result as JSON text
 */
export const onceForKey = async (
  context: GraphContext,
  { fieldName, path }: GraphQLResolveInfo,
  { given, ...how }: Pick<RepeatableRequest, 'isLocal' | 'check'> & { readonly given: unknown },
  work: (attempt: Attempt) => Promise<string>,
): Promise<string> => {
  const { status, body } = await idempotently(
    context.idempotentRequests,
    {
      caller: callerOf(context),
      key: context.idempotencyKey,
      scope: `graphql ${path.key}`,
      asked: [fieldName, given],
      ...how,
    },
    async (attempt) => ({ status: 200, body: await work(attempt) }),
    ({ status: refused, code, message, details }) => ({
      status: refused,
      body: JSON.stringify({ code, message, details } satisfies KeptRefusal),
    }),
  )
  if (status === 200) return body
  // Kept by the function above.
  const { code, message, details } = JSON.parse(body) as KeptRefusal
  throw new ApiError(code, message, details)
}
