/** The GraphQL fields of operations: queries for reads, mutations for all others. */
import type { ArgBuilder, FieldMap, MutationFieldBuilder, QueryFieldBuilder } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import type { Fields, Shape } from '../../definition/field.ts'
import { pascalCase } from '../../definition/resource.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../query/list-request.ts'
import { type Attempt, READ_ATTEMPT } from '../idempotency.ts'
import {
  argumentsOf,
  entryOf,
  fieldsAt,
  isMandatory,
  isRead,
  type Operation,
} from '../operation.ts'
import {
  checkOperation,
  type ListArguments,
  listOperation,
  runOperation,
} from '../run-operation.ts'
import { type Builder, callerOf, type GraphContext } from './builder.ts'
import { listCost } from './cost.ts'
import type { InputTypes } from './input-types.ts'
import { resolveIdempotently } from './once.ts'
import type { OperationTypes } from './operation-types.ts'

type Types = Builder['$inferSchemaTypes']
type Arguments = Readonly<Record<string, unknown>>

/** The arguments for the input fields in one part of the request. */
const pick = (args: Arguments, fields: Fields): Arguments =>
  Object.fromEntries(Object.entries(args).filter(([name]) => Object.hasOwn(fields, name)))

/** The input of an operation, by the part of the request. */
const rawInputOf = (operation: Operation, args: Arguments) => {
  const input = pick(args, argumentsOf(operation))
  return {
    path: pick(input, fieldsAt(operation, 'path')),
    query: pick(input, fieldsAt(operation, 'query')),
    body: args.input,
  }
}

/** The parts of the schema that operations use. */
export interface OperationParts {
  readonly types: OperationTypes
  readonly inputs: InputTypes
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
  { types, inputs }: OperationParts,
  operations: readonly Operation[],
) => {
  const argsOf = (arg: ArgBuilder<Types>, operation: Operation) => {
    const typeName = pascalCase(operation.name)
    return Object.fromEntries(
      Object.entries(argumentsOf(operation)).map(([name, field]) => [
        name,
        arg({
          type: inputs.inputType({ typeName, recordName: '' }, name, field),
          required: isMandatory(operation, name, field),
          description: field.doc,
        }),
      ]),
    )
  }

  const listField = (arg: ArgBuilder<Types>, operation: Operation, entry: Shape) => ({
    type: types.connectionOf(entry),
    description: operation.doc,
    extensions: { complexity: listCost },
    args: { ...argsOf(arg, operation), ...pageArguments(arg, operation.connection) },
    resolve: (_root: unknown, args: Arguments & ListArguments, context: GraphContext) =>
      listOperation(
        operation,
        { ...context, caller: callerOf(context), ...READ_ATTEMPT },
        rawInputOf(operation, args),
        args,
      ),
  })

  const fieldOf = (arg: ArgBuilder<Types>, operation: Operation) => {
    const { name, doc, response } = operation
    const typeName = pascalCase(name)
    const args = argsOf(arg, operation)
    if (operation.body !== undefined)
      args.input = arg({
        type: inputs.input(
          typeName,
          `The input of ${name}.`,
          fieldsAt(operation, 'body'),
          isMandatory.bind(undefined, operation),
        ),
        required: true,
      })
    return {
      type: types.outputType(typeName, 'answer', response.value),
      description: doc,
      args,
      resolve: async (
        _root: unknown,
        input: Arguments,
        context: GraphContext,
        info: GraphQLResolveInfo,
      ) => {
        const call = { ...context, caller: callerOf(context) }
        const rawInput = rawInputOf(operation, input)
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
        // A mutation may have changed what the operation loaded before.
        if (!isRead(operation)) context.loaders.clear()
        // The result matches the operation's `response`.
        return result as never
      },
    }
  }

  const reads = operations.filter(isRead)
  const mutations = operations.filter((operation) => !isRead(operation))
  return {
    queries: (t: QueryFieldBuilder<Types, object>): FieldMap =>
      Object.fromEntries(
        reads.map((read) => {
          const entry = entryOf(read)
          return [
            read.name,
            entry ? t.field(listField(t.arg, read, entry)) : t.field(fieldOf(t.arg, read)),
          ]
        }),
      ),
    mutations: (t: MutationFieldBuilder<Types, object>): FieldMap =>
      Object.fromEntries(
        mutations.map((mutation) => [mutation.name, t.field(fieldOf(t.arg, mutation))]),
      ),
  }
}
