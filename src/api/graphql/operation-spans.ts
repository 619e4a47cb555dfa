/** A span for each GraphQL operation. A subscription's span ends when it has started. */
import { type ExecutionArgs, getOperationAST } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { isTracing, type Span, type SpanOptions, trace } from '../../tracing.ts'

// Clients choose the name.
const MAX_NAME_LENGTH = 100

const spanOf = ({ document, operationName }: ExecutionArgs): SpanOptions => {
  const operation = getOperationAST(document, operationName)
  const type = operation?.operation ?? 'query'
  const name = operation?.name?.value.slice(0, MAX_NAME_LENGTH)
  return {
    name: `GraphQL ${type}`,
    attributes: { 'graphql.operation.type': type, 'graphql.operation.name': name },
  }
}

type Execute = (args: ExecutionArgs) => unknown

const traced =
  (execute: Execute) =>
  (args: ExecutionArgs): unknown =>
    trace(
      () => spanOf(args),
      async (span?: Span) => {
        const result = await execute(args)
        if (Object(result).errors?.length > 0) span?.fail('errors')
        return result
      },
    )

/** Traces operations; place it after the plugins that replace the executor. */
export const useOperationSpans = (): Plugin =>
  isTracing()
    ? {
        onExecute: ({ executeFn, setExecuteFn }) => setExecuteFn(traced(executeFn)),
        onSubscribe: ({ subscribeFn, setSubscribeFn }) => setSubscribeFn(traced(subscribeFn)),
      }
    : {}
