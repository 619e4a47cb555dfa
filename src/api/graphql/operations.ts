/** The GraphQL fields of operations: queries for reads, mutations for all others. */
import type { ArgBuilder, FieldMap, MutationFieldBuilder, QueryFieldBuilder } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import type { Fields, Shape } from '../../definition/field.ts'
import { pascalCase } from '../../definition/resource.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../query/list-request.ts'
import { READ_ATTEMPT } from '../idempotency.ts'
import {
  argumentsOf,
  entryOf,
  fieldsAt,
  graphqlName,
  isMandatory,
  isQuery,
  type Operation,
  payloadField,
} from '../operation.ts'
import {
  checkOperation,
  type ForwardArguments,
  listOperation,
  type RawInput,
  runOperation,
} from '../run-operation.ts'
import { type Builder, callerOf, type GraphContext } from './builder.ts'
import { listCost } from './cost.ts'
import type { InputTypes } from './input-types.ts'
import { resolveIdempotently } from './once.ts'
import type { OperationTypes } from './operation-types.ts'
import { type Payloads, runMutation } from './payloads.ts'

type Types = Builder['$inferSchemaTypes']
type Arguments = Readonly<Record<string, unknown>>

/** The parts of the schema that operations use. */
export interface OperationParts {
  readonly types: OperationTypes
  readonly inputs: InputTypes
  readonly payloads: Payloads
}

/** The arguments for the input fields in one part of the request. */
const pick = (args: Arguments, fields: Fields): Arguments =>
  Object.fromEntries(Object.entries(args).filter(([name]) => Object.hasOwn(fields, name)))

/** The input of an operation, by the part of the request. */
const rawInputOf = (operation: Operation, args: Arguments): RawInput => {
  const input = pick(args, argumentsOf(operation))
  return {
    path: pick(input, fieldsAt(operation, 'path')),
    query: pick(input, fieldsAt(operation, 'query')),
    body: args.input,
  }
}

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
  // The mutation may have changed what the operation loaded before.
  context.loaders.clear()
  return JSON.parse(json)
}

/** The arguments of a connection. Without a definition, the list is always read whole. */
export const pageArguments = (
  arg: ArgBuilder<Types>,
  definition: { readonly after?: string } | undefined,
) => ({
  first: arg.int({
    description: `Page size, 1 to ${MAX_PAGE_SIZE}. ${definition ? `The default is ${DEFAULT_PAGE_SIZE}.` : 'Without it, all entries are returned.'}`,
  }),
  after: arg.string({
    description: definition?.after ?? 'The cursor after which the page starts.',
  }),
})

/** Creates the fields: each `path` and `query` field is an argument, `body` is the argument `input`. */
export const createOperationFields = (
  { types, inputs, payloads }: OperationParts,
  operations: readonly Operation[],
) => {
  const argumentTypes = (arg: ArgBuilder<Types>, operation: Operation) => {
    const typeName = pascalCase(graphqlName(operation))
    const isRequired = isMandatory.bind(undefined, operation)
    const args = inputs.fieldArguments(arg, typeName, argumentsOf(operation), isRequired)
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

  const listOf = (t: QueryFieldBuilder<Types, object>, operation: Operation, entry: Shape) =>
    t.field({
      type: types.connectionOf(entry),
      description: operation.doc,
      extensions: { complexity: listCost },
      args: { ...argumentTypes(t.arg, operation), ...pageArguments(t.arg, operation.connection) },
      resolve: (_root, args: Arguments & ForwardArguments, context) =>
        listOperation(
          operation,
          { ...callOf(context), ...READ_ATTEMPT },
          rawInputOf(operation, args),
          args,
        ),
    })

  const queryOf = (t: QueryFieldBuilder<Types, object>, operation: Operation) => {
    const entry = entryOf(operation)
    if (entry) return listOf(t, operation, entry)
    return t.field({
      type: resultType(operation),
      description: operation.doc,
      args: argumentTypes(t.arg, operation),
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
      args: argumentTypes(t.arg, operation),
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
