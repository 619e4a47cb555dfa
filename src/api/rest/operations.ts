/** The REST routes of operations, with strictly validated input. */
import type { FastifyInstance } from 'fastify'
import { beforeBody } from '../auth/admission.ts'
import type { ApiContext } from '../context.ts'
import { type Attempt, READ_ATTEMPT } from '../idempotency.ts'
import { fieldsAt, isRead, type Operation } from '../operation.ts'
import { checkOperation, runOperation } from '../run-operation.ts'
import { JSON_TYPE, respondIdempotently } from './once.ts'
import { checkEncoding, readQuery, rejectUnknownParameters } from './parameters.ts'

const readParameters = (operation: Operation, query: unknown) => {
  const fields = fieldsAt(operation, 'query')
  const lists = Object.keys(fields).filter((name) => fields[name]?.kind.isList)
  const parameters = readQuery(query, lists)
  rejectUnknownParameters(parameters, Object.keys(fields))
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { kind }]) => {
      const text = parameters[name]
      return text === undefined ? [] : [[name, kind.fromText?.(text) ?? text]]
    }),
  )
}

/** The response body: the result, limited to the fields of the contract, under its key. */
export const restResponse = ({ rest, response }: Operation, result: unknown): unknown => {
  const { shows } = rest
  const contractResult =
    shows === undefined
      ? result
      : Object.fromEntries(shows.map((name) => [name, Object(result)[name]]))
  return response.key === undefined ? contractResult : { [response.key]: contractResult }
}

const addRoute = (server: FastifyInstance, context: ApiContext, operation: Operation): void => {
  server.route({
    method: operation.rest.method,
    url: operation.rest.path,
    ...beforeBody,
    handler: async (request, reply) => {
      const caller = await request.requireCaller()
      checkEncoding(request.url)
      const input = {
        path: readQuery(request.params),
        query: readParameters(operation, request.query),
        body: request.body ?? undefined,
      }
      const run = async (attempt: Attempt): Promise<string> =>
        JSON.stringify(
          restResponse(
            operation,
            await runOperation(operation, { ...context, caller, ...attempt }, input),
          ),
        )
      if (!isRead(operation)) {
        const isLocal = !operation.hasExternalEffects
        const check = () => checkOperation(operation, { ...context, caller }, input)
        const call = { request, reply, caller, isLocal, check }
        return respondIdempotently(context, call, run, (body) => body)
      }
      reply.type(JSON_TYPE)
      return run(READ_ATTEMPT)
    },
  })
}

/** Adds the route of each operation. */
export const addOperationRoutes = (
  server: FastifyInstance,
  context: ApiContext,
  operations: readonly Operation[],
): void => {
  for (const operation of operations) addRoute(server, context, operation)
}
