/** Runs subscriptions; each change is resolved once for all subscribers with the same selection. */
import { createSourceEventStream, type ExecutionArgs, type ExecutionResult, execute } from 'graphql'
import type { GraphContext } from './builder.ts'
import { toStreamError } from './error-form.ts'
import { type BatchStream, type ChangeEvent, createBatchStream } from './event-stream.ts'
import { createLoaders } from './loaders.ts'
import { createSelections } from './selection.ts'
import { createSharedResult, createSharedResults, type SharedResult } from './shared-results.ts'

/** Creates the `subscribe` function of GraphQL for subscriptions to changes. */
export const createStreams = () => {
  const selectionOf = createSelections()
  const results = createSharedResults()

  const resolve = async (args: ExecutionArgs, event: ChangeEvent): Promise<ExecutionResult> => {
    // createGraphServer creates the context.
    const context = args.contextValue as GraphContext
    const result = await execute({
      ...args,
      rootValue: event,
      // New loaders for each change: linked records may have changed since the last one.
      contextValue: { ...context, loaders: createLoaders(context) },
    })
    if (!result.errors) return result
    return {
      ...result,
      errors: result.errors.map((error) => toStreamError(error, context.origin)),
    }
  }

  return async (args: ExecutionArgs): Promise<BatchStream<SharedResult> | ExecutionResult> => {
    const source = await createSourceEventStream(args)
    if (!(Symbol.asyncIterator in source)) return source
    // Every subscription field of the schema returns this type.
    const events = source as BatchStream<ChangeEvent>
    const selection = selectionOf(args)
    const { origin, disconnected } = args.contextValue as GraphContext
    // Without this, Yoga closes the stream only at the next event or keep-alive.
    disconnected?.addEventListener('abort', () => void events.return(), { once: true })

    let hasEnded = false
    /** The last result of the stream, for every transport. */
    const end = async (errors: ExecutionResult['errors']): Promise<SharedResult> => {
      hasEnded = true
      await events.return()
      return createSharedResult({ ...(errors && { errors }) })
    }

    const resolveAll = async (batch: readonly ChangeEvent[]): Promise<readonly SharedResult[]> => {
      const resolved: SharedResult[] = []
      for (const event of batch) {
        const cached = results.of(event, selection, () => resolve(args, event))
        // No await for a finished result: this runs for every subscriber.
        const result = cached instanceof Promise ? await cached : cached
        // End the stream: without a result the client has no cursor of this change and would miss it.
        if (!result.hasData) return [...resolved, await end(result.errors)]
        resolved.push(result)
      }
      return resolved
    }

    return createBatchStream({
      nextBatch: async () => {
        if (hasEnded) return undefined
        try {
          const batch = await events.nextBatch()
          return batch && (await resolveAll(batch))
        } catch (error) {
          return [await end([toStreamError(error, origin)])]
        }
      },
      close: () => events.return(),
    })
  }
}
