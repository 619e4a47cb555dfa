/** Running a subscription: each change is resolved once for all whose selection is the same. */
import { createSourceEventStream, type ExecutionArgs, type ExecutionResult, execute } from 'graphql'
import { type Answer, createAnswer, createSharedAnswers } from './answer.ts'
import type { GraphContext } from './builder.ts'
import { type OnFailure, toStreamError } from './error-form.ts'
import { type BatchStream, type ChangeEvent, createBatchStream } from './event-stream.ts'
import { createLoaders } from './loaders.ts'
import { createSelections } from './selection.ts'

/** The `subscribe` of GraphQL, for the schema's subscriptions, whose events are changes. */
export const createStreams = (onFailure: OnFailure) => {
  const selectionOf = createSelections()
  const answers = createSharedAnswers()

  const resolve = async (args: ExecutionArgs, event: ChangeEvent): Promise<ExecutionResult> => {
    // The context is this API's: see GraphServer.
    const context = args.contextValue as GraphContext
    const result = await execute({
      ...args,
      rootValue: event,
      // What was loaded for one change may be otherwise at the next.
      contextValue: { ...context, loaders: createLoaders(context) },
    })
    if (!result.errors) return result
    return {
      ...result,
      errors: result.errors.map((error) => toStreamError(error, context.requestId, onFailure)),
    }
  }

  return async (args: ExecutionArgs): Promise<BatchStream<Answer> | ExecutionResult> => {
    const source = await createSourceEventStream(args)
    if (!(Symbol.asyncIterator in source)) return source
    // The fields of the schema's Subscription give nothing else.
    const events = source as BatchStream<ChangeEvent>
    const selection = selectionOf(args)
    const { requestId, left } = args.contextValue as GraphContext
    // Yoga's stream waits for the next event, or its next sign of life, before it lets go of this one.
    left?.addEventListener('abort', () => void events.return(), { once: true })

    let hasEnded = false
    /** The last that is said, whatever the transport. */
    const end = async (errors: ExecutionResult['errors']): Promise<Answer> => {
      hasEnded = true
      await events.return()
      return createAnswer({ ...(errors && { errors }) })
    }

    const answerAll = async (batch: readonly ChangeEvent[]): Promise<readonly Answer[]> => {
      const told: Answer[] = []
      for (const event of batch) {
        const answer = answers.of(event, selection, () => resolve(args, event))
        // What is there is not waited for: this is done for every subscriber.
        const made = answer instanceof Promise ? await answer : answer
        // Without an answer there is no cursor: whoever heard the next change would have missed this one.
        if (!made.data) return [...told, await end(made.errors)]
        told.push(made)
      }
      return told
    }

    return createBatchStream({
      nextBatch: async () => {
        if (hasEnded) return undefined
        try {
          const batch = await events.nextBatch()
          return batch && (await answerAll(batch))
        } catch (error) {
          return [await end([toStreamError(error, requestId, onFailure)])]
        }
      },
      close: () => events.return(),
    })
  }
}
