/** The operations over REST: one route each, its input read strictly. */
import type { FastifyInstance } from 'fastify'
import type { Field } from '../../definition/field.ts'
import { invalidParameter } from '../../errors.ts'
import { beforeBody } from '../admission.ts'
import type { ApiContext } from '../context.ts'
import { type Attempt, ONCE } from '../idempotency.ts'
import { fieldsAt, isRead, type Operation } from '../operation.ts'
import { checkOperation, runOperation } from '../run-operation.ts'
import { answerOnce, JSON_TYPE } from './once.ts'
import { checkEncoding, readQuery, refuseUnknown } from './parameters.ts'

const INTEGER = /^-?\d{1,10}$/

/** The value that the text of a query parameter stands for. @throws INVALID_PARAMETER */
const parameterValue = (name: string, { kind }: Field, text: string): unknown => {
  switch (kind) {
    case 'integer':
      if (!INTEGER.test(text)) throw invalidParameter(name, 'a whole number')
      return Number(text)
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw invalidParameter(name, 'true or false')
      return text === 'true'
    case 'texts':
      return text.split(',')
    default:
      return text
  }
}

const readParameters = (operation: Operation, query: unknown) => {
  const fields = fieldsAt(operation, 'query')
  const lists = Object.keys(fields).filter((name) => fields[name]?.kind === 'texts')
  const parameters = readQuery(query, lists)
  refuseUnknown(parameters, Object.keys(fields))
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const text = parameters[name]
      return text === undefined ? [] : [[name, parameterValue(name, field, text)]]
    }),
  )
}

/** The body of the answer: the contract's part of the result, under its key. */
export const restAnswer = ({ rest, answer }: Operation, result: unknown): unknown => {
  const { shows } = rest
  const shown =
    shows === undefined
      ? result
      : Object.fromEntries(shows.map((name) => [name, Object(result)[name]]))
  return answer.key === undefined ? shown : { [answer.key]: shown }
}

const addRoute = (server: FastifyInstance, context: ApiContext, operation: Operation): void => {
  server.route({
    method: operation.rest.method,
    url: operation.rest.path,
    ...beforeBody,
    handler: async (request, reply) => {
      const caller = await request.requireCaller()
      checkEncoding(request.url)
      const given = {
        path: readQuery(request.params),
        query: readParameters(operation, request.query),
        body: request.body ?? undefined,
      }
      const run = async (attempt: Attempt): Promise<string> =>
        JSON.stringify(
          restAnswer(
            operation,
            await runOperation(operation, { ...context, caller, ...attempt }, given),
          ),
        )
      if (!isRead(operation)) {
        const isLocal = !operation.reachesOut
        const check = () => checkOperation(operation, { ...context, caller }, given)
        const call = { request, reply, caller, isLocal, check }
        return answerOnce(context, call, run, (answer) => answer)
      }
      reply.type(JSON_TYPE)
      return run(ONCE)
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
