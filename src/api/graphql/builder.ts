/** The schema builder: scalars, context, and how invalid arguments are reported. */
import SchemaBuilder, { type PothosInputFieldConfig, type SchemaTypes } from '@pothos/core'
import zodPlugin, { PothosZodPlugin } from '@pothos/plugin-zod'
import { GraphQLError } from 'graphql'
import { ApiError } from '../../errors.ts'
import { type Caller, type KeyCaller, requireKey } from '../auth/caller.ts'
import type { ApiContext } from '../context.ts'
import type { RequestOrigin } from '../request-origin.ts'
import type { Loaders } from './loaders.ts'

/** What the transport passes to the operations of a request or a socket. */
export interface GraphRequest {
  /** The text of the requested document; undefined: Yoga reads it from the request. */
  readonly text: string | undefined
  readonly origin: RequestOrigin
  /** Undefined only for introspection without a key. */
  readonly caller: Caller | undefined
  /** The Idempotency-Key header; it applies to each mutation field of the document. */
  readonly idempotencyKey: string | undefined
  /** Whether the client accepts `text/event-stream`. */
  readonly acceptsEventStream: boolean
  /** Aborted when the client of an event stream disconnects; undefined over WebSockets, which close their streams. */
  readonly disconnected?: AbortSignal
  /** Whether the plan of the operation has failed for this request: the resolvers run it. */
  readonly hasFailedPlan?: boolean
}

export interface GraphContext extends ApiContext, Omit<GraphRequest, 'text'> {
  readonly loaders: Loaders
}

// A type alias, not an interface: Pothos requires an index signature.
type Scalars = {
  DateTime: { Input: string; Output: string }
  Decimal: { Input: string; Output: string }
  JSON: { Input: unknown; Output: unknown }
  ID: { Input: string; Output: string }
}

/** Values from the store already have their API form. */
const identity = (value: unknown): unknown => value

const textValue = (value: unknown): string => {
  if (typeof value === 'string') return value
  // A GraphQLError, to which graphql-js adds the location of the value.
  throw new GraphQLError('DateTime: expected an ISO 8601 timestamp or date, as a string.')
}

const decimalValue = (value: unknown): string => {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new GraphQLError('Decimal: expected a number or its digits as a string, such as "12.50".')
}

/**
 * The plugin, limited to arguments that have a schema. By itself it creates a validator for every field of every input
 * object (4 MB), which refer to the builder; resolvers validate input objects.
 */
class ArgumentValidation<Types extends SchemaTypes> extends PothosZodPlugin<Types> {
  override onInputFieldConfig(config: PothosInputFieldConfig<Types>) {
    return config.pothosOptions.validate ? super.onInputFieldConfig(config) : config
  }
}

SchemaBuilder.allowPluginReRegistration = true
SchemaBuilder.registerPlugin(zodPlugin, ArgumentValidation)

export const createBuilder = () => {
  const builder = new SchemaBuilder<{ Context: GraphContext; Scalars: Scalars }>({
    plugins: [zodPlugin],
    zod: {
      validationError: ({ issues }) =>
        new ApiError(
          'INVALID_PARAMETER',
          issues.map(({ path, message }) => `${path.join('.')}: expected ${message}.`).join(' '),
          issues.map(({ path, message }) => ({ field: path.join('.'), expected: message })),
        ),
    },
  })
  builder.scalarType('DateTime', {
    description:
      'A time in the form YYYY-MM-DDTHH:MM:SS.sssZ. In a filter, a date alone (YYYY-MM-DD) means the whole day in UTC. A date field, such as a due date, uses the date as written and ignores the offset.',
    serialize: identity as (value: string) => string,
    parseValue: textValue,
  })
  builder.scalarType('Decimal', {
    description:
      'A decimal number, returned as a string of its digits. Input may be a string or a number.',
    serialize: identity as (value: string) => string,
    parseValue: decimalValue,
  })
  builder.scalarType('JSON', {
    description: 'Any JSON value.',
    serialize: identity,
    parseValue: identity,
  })
  return builder
}

export type Builder = ReturnType<typeof createBuilder>

/** The caller of the request; only introspection may have none. @throws UNAUTHENTICATED */
export const callerOf = ({ caller }: GraphContext): Caller => {
  if (caller === undefined)
    throw new ApiError('UNAUTHENTICATED', 'Send the API key: Authorization: Bearer <key>.')
  return caller
}

/** The caller if it uses an API key, which record operations require. @throws UNAUTHENTICATED, FORBIDDEN */
export const backendOf = (context: GraphContext): KeyCaller => requireKey(callerOf(context))
