/** The operations over GraphQL: a query for each that reads, a mutation for each that changes. */
import type { ArgBuilder, FieldMap, MutationFieldBuilder, QueryFieldBuilder } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import type { Fields } from '../../definition/field.ts'
import { pascalCase } from '../../definition/resource.ts'
import { type Attempt, ONCE } from '../idempotency.ts'
import { argumentName, fieldsAt, isMandatory, isRead, type Operation } from '../operation.ts'
import { checkOperation, runOperation } from '../run-operation.ts'
import { type Builder, callerOf, type GraphContext } from './builder.ts'
import { listCost } from './cost.ts'
import type { InputTypes } from './input-types.ts'
import { onceForKey } from './once.ts'
import type { OperationTypes } from './operation-types.ts'

type Types = Builder['$inferSchemaTypes']
type Arguments = Readonly<Record<string, unknown>>

/** The fields of one place that are among the arguments, by their own names. */
const argumentsAt = (operation: Operation, given: Arguments, fields: Fields): Arguments =>
  Object.fromEntries(
    Object.keys(fields).flatMap((name) => {
      const argument = argumentName(operation, name)
      return Object.hasOwn(given, argument) ? [[name, given[argument]]] : []
    }),
  )

/** `path` and `query` are arguments of their own, `body` is the argument `input`. */
export const createOperationFields = (
  types: OperationTypes,
  inputs: InputTypes,
  operations: readonly Operation[],
) => {
  const fieldOf = (arg: ArgBuilder<Types>, operation: Operation) => {
    const { name, doc, answer } = operation
    const typeName = pascalCase(name)
    const path = fieldsAt(operation, 'path')
    const query = fieldsAt(operation, 'query')
    const mustGive = isMandatory.bind(undefined, operation)
    const args = Object.fromEntries(
      Object.entries({ ...path, ...query }).map(([name, field]) => [
        argumentName(operation, name),
        arg({
          type: inputs.inputType({ typeName, recordName: '' }, name, field),
          required: mustGive(name, field),
          description: field.doc,
        }),
      ]),
    )
    if (operation.body !== undefined)
      args.input = arg({
        type: inputs.input(
          typeName,
          `What ${name} is given.`,
          fieldsAt(operation, 'body'),
          mustGive,
        ),
        required: true,
      })
    return {
      type: types.outputType(typeName, 'answer', answer.value),
      description: doc,
      ...((answer.value.kind === 'list' || 'pageSize' in query) && {
        extensions: { complexity: listCost },
      }),
      args,
      resolve: async (
        _root: unknown,
        given: Arguments,
        context: GraphContext,
        info: GraphQLResolveInfo,
      ) => {
        const call = { ...context, caller: callerOf(context) }
        const read = {
          path: argumentsAt(operation, given, path),
          query: argumentsAt(operation, given, query),
          body: given.input,
        }
        const run = (attempt: Attempt): Promise<unknown> =>
          runOperation(operation, { ...call, ...attempt }, read)
        const result = isRead(operation)
          ? await run(ONCE)
          : JSON.parse(
              await onceForKey(
                context,
                info,
                {
                  given,
                  isLocal: !operation.reachesOut,
                  check: () => checkOperation(operation, call, read),
                },
                async (attempt) => JSON.stringify(await run(attempt)),
              ),
            )
        // Of the kind that the operation says.
        return result as never
      },
    }
  }

  const reads = operations.filter(isRead)
  const changes = operations.filter((operation) => !isRead(operation))
  return {
    queries: (t: QueryFieldBuilder<Types, object>): FieldMap =>
      Object.fromEntries(reads.map((read) => [read.name, t.field(fieldOf(t.arg, read))])),
    mutations: (t: MutationFieldBuilder<Types, object>): FieldMap =>
      Object.fromEntries(changes.map((change) => [change.name, t.field(fieldOf(t.arg, change))])),
  }
}
