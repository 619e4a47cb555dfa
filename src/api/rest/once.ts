/** The answer to a request that changes something: once for each Idempotency-Key, the same to each try. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorBody } from '../../errors.ts'
import type { ApiContext } from '../context.ts'
import {
  type Attempt,
  idempotently,
  type RepeatableRequest,
  readIdempotencyKey,
} from '../idempotency.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

export interface RepeatableCall extends Pick<RepeatableRequest, 'caller' | 'isLocal' | 'check'> {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/**
 * Does `work`, or gives what an earlier try with the same key was answered. `send` forms the answer of
 * what `work` returns, which is kept; a refusal is kept with the form that errors have.
 * @throws IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_KEY_IN_FLIGHT, and what `work` throws
 */
export const answerOnce = async (
  { idempotentRequests }: ApiContext,
  { request, reply, caller, isLocal, check }: RepeatableCall,
  work: (attempt: Attempt) => Promise<string>,
  send: (result: string) => string,
): Promise<string> => {
  const { method, url, body, headers } = request
  const {
    status,
    body: kept,
    replayed,
  } = await idempotently(
    idempotentRequests,
    {
      ...{ caller, isLocal, ...(check && { check }) },
      key: readIdempotencyKey(headers['idempotency-key']),
      scope: 'rest',
      asked: [method, url, body, headers['if-match']],
    },
    async (attempt) => ({ status: 200, body: await work(attempt) }),
    (refusal) => ({
      status: refusal.status,
      body: JSON.stringify(errorBody(refusal, request.id)),
    }),
  )
  reply.type(JSON_TYPE)
  if (replayed) reply.header('idempotency-replayed', 'true')
  if (status === 200) return send(kept)
  reply.code(status)
  return kept
}
