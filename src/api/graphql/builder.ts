/** The schema builder: scalars, context, and how invalid arguments are reported. */
import SchemaBuilder from '@pothos/core'
import ZodPlugin from '@pothos/plugin-zod'
import { GraphQLError } from 'graphql'
import { ApiError } from '../../errors.ts'
import { type Caller, type KeyCaller, requireKey } from '../caller.ts'
import type { ApiContext } from '../context.ts'
import type { Loaders } from './loaders.ts'

export interface GraphContext extends ApiContext {
  readonly requestId: string
  /** Undefined only while a schema is introspected. */
  readonly caller: Caller | undefined
  /** Sent with the request: each mutation of it is done once. */
  readonly idempotencyKey: string | undefined
  /** Whether the answer may be a stream of events. */
  readonly takesEvents: boolean
  /** Aborted when the caller of a stream of events has gone; undefined: a socket closes what it has opened. */
  readonly left?: AbortSignal
  readonly loaders: Loaders
}

// A type alias, not an interface: Pothos asks for an index signature.
type Scalars = {
  DateTime: { Input: string; Output: string }
  Decimal: { Input: string; Output: string }
  JSON: { Input: unknown; Output: unknown }
  ID: { Input: string; Output: string }
}

/** The values come from the store in the form that is shown. */
const asItIs = (value: unknown): unknown => value

const textValue = (value: unknown): string => {
  if (typeof value === 'string') return value
  // GraphQL's own error, to which graphql-js adds the place of the value.
  throw new GraphQLError('DateTime cannot represent a value that is no text.')
}

const decimalValue = (value: unknown): string => {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new GraphQLError('Decimal cannot represent a value that is no number.')
}

export const createBuilder = () => {
  const builder = new SchemaBuilder<{ Context: GraphContext; Scalars: Scalars }>({
    plugins: [ZodPlugin],
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
      'An instant, YYYY-MM-DDTHH:MM:SS.sssZ. In a filter a date alone, YYYY-MM-DD, stands for its whole day in UTC. A field that is a day, such as a due date, takes the day as it is written, whatever the offset.',
    serialize: asItIs as (value: string) => string,
    parseValue: textValue,
  })
  builder.scalarType('Decimal', {
    description: 'A decimal number: its digits as text; given as text or as a number.',
    serialize: asItIs as (value: string) => string,
    parseValue: decimalValue,
  })
  builder.scalarType('JSON', { description: 'Any JSON.', serialize: asItIs, parseValue: asItIs })
  return builder
}

export type Builder = ReturnType<typeof createBuilder>

/** The caller of an operation; introspection alone has none. @throws UNAUTHENTICATED */
export const callerOf = ({ caller }: GraphContext): Caller => {
  if (caller === undefined) throw new ApiError('UNAUTHENTICATED', 'Send the API key.')
  return caller
}

/** Who asks for records: the integrator's backend alone. @throws UNAUTHENTICATED, FORBIDDEN */
export const backendOf = (context: GraphContext): KeyCaller => requireKey(callerOf(context))
