/** Idempotent REST responses: one execution for each Idempotency-Key, then the stored response. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorBody } from '../../errors.ts'
import type { ApiContext } from '../context.ts'
import {
  type Attempt,
  type IdempotentRequest,
  readIdempotencyKey,
  runIdempotently,
} from '../idempotency.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

export interface IdempotentCall extends Pick<IdempotentRequest, 'caller' | 'isLocal' | 'check'> {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/**
 * Runs `work`, or replays the stored response of an earlier attempt with the same key. The result of `work`
 * is stored, and `send` turns it into the response body; a permanent error is stored as its response body.
 * @throws IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_KEY_IN_FLIGHT, and what `work` throws
 */
export const respondIdempotently = async (
  { idempotencyStore }: ApiContext,
  { request, reply, caller, isLocal, check }: IdempotentCall,
  work: (attempt: Attempt) => Promise<string>,
  send: (result: string) => string,
): Promise<string> => {
  const { method, url, body, headers } = request
  const {
    status,
    body: stored,
    replayed,
  } = await runIdempotently(
    idempotencyStore,
    {
      caller,
      isLocal,
      ...(check && { check }),
      key: readIdempotencyKey(headers['idempotency-key']),
      scope: 'rest',
      content: [method, url, body, headers['if-match']],
    },
    async (attempt) => ({ status: 200, body: await work(attempt) }),
    (refusal) => ({
      status: refusal.status,
      body: JSON.stringify(errorBody(refusal, request.id)),
    }),
  )
  reply.type(JSON_TYPE)
  if (replayed) reply.header('idempotency-replayed', 'true')
  if (status === 200) return send(stored)
  reply.code(status)
  return stored
}
