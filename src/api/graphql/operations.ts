/** The GraphQL fields of operations: queries for reads, mutations for all others. */
import type { ArgBuilder, FieldMap, MutationFieldBuilder, QueryFieldBuilder } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import type { Fields } from '../../definition/field.ts'
import { pascalCase } from '../../definition/resource.ts'
import { type Attempt, READ_ATTEMPT } from '../idempotency.ts'
import { argumentName, fieldsAt, isMandatory, isRead, type Operation } from '../operation.ts'
import { checkOperation, runOperation } from '../run-operation.ts'
import { type Builder, callerOf, type GraphContext } from './builder.ts'
import { listCost } from './cost.ts'
import type { InputTypes } from './input-types.ts'
import { resolveIdempotently } from './once.ts'
import type { OperationTypes } from './operation-types.ts'

type Types = Builder['$inferSchemaTypes']
type Arguments = Readonly<Record<string, unknown>>

/** The arguments for the input fields in one part of the request, by field name. */
const argumentsAt = (operation: Operation, args: Arguments, fields: Fields): Arguments =>
  Object.fromEntries(
    Object.keys(fields).flatMap((name) => {
      const argument = argumentName(operation, name)
      return Object.hasOwn(args, argument) ? [[name, args[argument]]] : []
    }),
  )

/** Creates the fields: each `path` and `query` field is an argument, `body` is the argument `input`. */
export const createOperationFields = (
  types: OperationTypes,
  inputs: InputTypes,
  operations: readonly Operation[],
) => {
  const fieldOf = (arg: ArgBuilder<Types>, operation: Operation) => {
    const { name, doc, response } = operation
    const typeName = pascalCase(name)
    const path = fieldsAt(operation, 'path')
    const query = fieldsAt(operation, 'query')
    const isRequired = isMandatory.bind(undefined, operation)
    const args = Object.fromEntries(
      Object.entries({ ...path, ...query }).map(([name, field]) => [
        argumentName(operation, name),
        arg({
          type: inputs.inputType({ typeName, recordName: '' }, name, field),
          required: isRequired(name, field),
          description: field.doc,
        }),
      ]),
    )
    if (operation.body !== undefined)
      args.input = arg({
        type: inputs.input(
          typeName,
          `The input of ${name}.`,
          fieldsAt(operation, 'body'),
          isRequired,
        ),
        description: 'What to write.',
        required: true,
      })
    return {
      type: types.outputType(typeName, 'answer', response.value),
      description: doc,
      ...(((response.value.kind.isList && response.value.kind.shape) || 'pageSize' in query) && {
        extensions: { complexity: listCost },
      }),
      args,
      resolve: async (
        _root: unknown,
        input: Arguments,
        context: GraphContext,
        info: GraphQLResolveInfo,
      ) => {
        const call = { ...context, caller: callerOf(context) }
        const rawInput = {
          path: argumentsAt(operation, input, path),
          query: argumentsAt(operation, input, query),
          body: input.input,
        }
        const run = (attempt: Attempt): Promise<unknown> =>
          runOperation(operation, { ...call, ...attempt }, rawInput)
        const result = isRead(operation)
          ? await run(READ_ATTEMPT)
          : JSON.parse(
              await resolveIdempotently(
                context,
                info,
                {
                  args: input,
                  isLocal: !operation.hasExternalEffects,
                  check: () => checkOperation(operation, call, rawInput),
                },
                async (attempt) => JSON.stringify(await run(attempt)),
              ),
            )
        // The result matches the operation's `response`.
        return result as never
      },
    }
  }

  const reads = operations.filter(isRead)
  const mutations = operations.filter((operation) => !isRead(operation))
  return {
    queries: (t: QueryFieldBuilder<Types, object>): FieldMap =>
      Object.fromEntries(reads.map((read) => [read.name, t.field(fieldOf(t.arg, read))])),
    mutations: (t: MutationFieldBuilder<Types, object>): FieldMap =>
      Object.fromEntries(
        mutations.map((mutation) => [mutation.name, t.field(fieldOf(t.arg, mutation))]),
      ),
  }
}
