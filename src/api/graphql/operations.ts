/** The GraphQL fields of operations: queries for reads, mutations for all others. */
import type { ArgBuilder, FieldMap, MutationFieldBuilder, QueryFieldBuilder } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import type { Fields } from '../../definition/field.ts'
import { pascalCase } from '../../definition/resource.ts'
import { READ_ATTEMPT } from '../idempotency.ts'
import {
  argumentName,
  fieldsAt,
  graphqlName,
  isMandatory,
  isQuery,
  type Operation,
  payloadField,
} from '../operation.ts'
import { checkOperation, type RawInput, runOperation } from '../run-operation.ts'
import { type Builder, callerOf, type GraphContext } from './builder.ts'
import { listCost } from './cost.ts'
import type { InputTypes } from './input-types.ts'
import { resolveIdempotently } from './once.ts'
import type { OperationTypes } from './operation-types.ts'
import { type Payloads, runMutation } from './payloads.ts'

type Types = Builder['$inferSchemaTypes']
type Arguments = Readonly<Record<string, unknown>>

interface FieldTypes {
  readonly types: OperationTypes
  readonly inputs: InputTypes
  readonly payloads: Payloads
}

/** The arguments for the input fields in one part of the request, by field name. */
const argumentsAt = (operation: Operation, args: Arguments, fields: Fields): Arguments =>
  Object.fromEntries(
    Object.keys(fields).flatMap((name) => {
      const argument = argumentName(operation, name)
      return Object.hasOwn(args, argument) ? [[name, args[argument]]] : []
    }),
  )

const rawInputOf = (operation: Operation, args: Arguments): RawInput => ({
  path: argumentsAt(operation, args, fieldsAt(operation, 'path')),
  query: argumentsAt(operation, args, fieldsAt(operation, 'query')),
  body: args.input,
})

const callOf = (context: GraphContext) => ({ ...context, caller: callerOf(context) })

const runQuery = (operation: Operation, args: Arguments, context: GraphContext): Promise<unknown> =>
  runOperation(operation, { ...callOf(context), ...READ_ATTEMPT }, rawInputOf(operation, args))

const runOnce = async (
  operation: Operation,
  args: Arguments,
  context: GraphContext,
  info: GraphQLResolveInfo,
): Promise<unknown> => {
  const call = callOf(context)
  const rawInput = rawInputOf(operation, args)
  const json = await resolveIdempotently(
    context,
    info,
    {
      args,
      isLocal: !operation.hasExternalEffects,
      check: () => checkOperation(operation, call, rawInput),
    },
    async (attempt) =>
      JSON.stringify(await runOperation(operation, { ...call, ...attempt }, rawInput)),
  )
  return JSON.parse(json)
}

/** Creates the fields: each `path` and `query` field is an argument, `body` is the argument `input`. */
export const createOperationFields = (
  { types, inputs, payloads }: FieldTypes,
  operations: readonly Operation[],
) => {
  const argumentsOf = (arg: ArgBuilder<Types>, operation: Operation) => {
    const typeName = pascalCase(graphqlName(operation))
    const isRequired = isMandatory.bind(undefined, operation)
    const args = Object.fromEntries(
      Object.entries({ ...fieldsAt(operation, 'path'), ...fieldsAt(operation, 'query') }).map(
        ([name, field]) => [
          argumentName(operation, name),
          arg({
            type: inputs.inputType({ typeName, recordName: '' }, name, field),
            required: isRequired(name, field),
            description: field.doc,
          }),
        ],
      ),
    )
    if (operation.body !== undefined)
      args.input = arg({
        type: inputs.input(
          typeName,
          `The input of ${graphqlName(operation)}.`,
          fieldsAt(operation, 'body'),
          isRequired,
        ),
        description: 'What to write.',
        required: true,
      })
    return args
  }

  const resultType = (operation: Operation) =>
    types.outputType(pascalCase(graphqlName(operation)), 'answer', operation.response.value)

  const queryOf = (t: QueryFieldBuilder<Types, object>, operation: Operation) => {
    const { kind } = operation.response.value
    const isList = (kind.isList && kind.shape) || 'pageSize' in fieldsAt(operation, 'query')
    return t.field({
      type: resultType(operation),
      description: operation.doc,
      ...(isList && { extensions: { complexity: listCost } }),
      args: argumentsOf(t.arg, operation),
      // The result matches the operation's `response`.
      resolve: async (_root, args: Arguments, context) =>
        (await runQuery(operation, args, context)) as never,
    })
  }

  const mutationOf = (t: MutationFieldBuilder<Types, object>, operation: Operation) =>
    t.field({
      type: payloads.payloadType(graphqlName(operation), {
        name: payloadField(operation),
        type: resultType(operation),
        description: operation.response.value.doc,
      }),
      description: operation.doc,
      args: argumentsOf(t.arg, operation),
      resolve: (_root, args: Arguments, context, info) =>
        runMutation(context, fieldsAt(operation, 'body'), () =>
          runOnce(operation, args, context, info),
        ),
    })

  const fieldsWhere = <F>(
    isIncluded: (operation: Operation) => boolean,
    fieldOf: (operation: Operation) => F,
  ): Record<string, F> =>
    Object.fromEntries(
      operations
        .filter(isIncluded)
        .map((operation) => [graphqlName(operation), fieldOf(operation)]),
    )
  return {
    queries: (t: QueryFieldBuilder<Types, object>): FieldMap =>
      fieldsWhere(isQuery, (operation) => queryOf(t, operation)),
    mutations: (t: MutationFieldBuilder<Types, object>): FieldMap =>
      fieldsWhere(
        (operation) => !isQuery(operation),
        (operation) => mutationOf(t, operation),
      ),
  }
}
