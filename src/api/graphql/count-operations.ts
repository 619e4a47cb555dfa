/** Reports each GraphQL operation by its type, root field and outcome. None of them is a name that a client chooses. */
import { type ExecutionArgs, getOperationAST } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { ErrorCode } from '../../errors.ts'
import type { RequestOrigin } from '../request-origin.ts'
import type { GraphContext } from './builder.ts'

/** An operation that has ended; a subscription, once it has started. */
export interface OperationFacts {
  /** `none`: the document was rejected. */
  readonly type: 'query' | 'mutation' | 'subscription' | 'none'
  /** The field of the schema; `several` for more than one. */
  readonly field: string
  readonly outcome: 'ok' | ErrorCode
}

type Described = Pick<OperationFacts, 'type' | 'field'>

const REJECTED: Described = { type: 'none', field: 'none' }

/** The type and root field of a valid document. */
export const describeOperation = ({
  document,
  operationName,
}: Pick<ExecutionArgs, 'document' | 'operationName'>): Described => {
  const operation = getOperationAST(document, operationName)
  if (!operation) return REJECTED
  const [first, ...others] = operation.selectionSet.selections
  const isOne = first?.kind === 'Field' && others.length === 0
  return { type: operation.operation, field: isOne ? first.name.value : 'several' }
}

/** The outcome of a result: its first error, or else its first user error. */
const outcomeOf = (
  errors: readonly { readonly extensions: object }[],
  { errorCode }: RequestOrigin,
): 'ok' | ErrorCode => {
  const [first] = errors
  // useErrorForm has given every error its code.
  return first ? (Object(first.extensions).code as ErrorCode) : (errorCode ?? 'ok')
}

type CountPlugin = Plugin<GraphContext, { readonly origin: RequestOrigin }>

/**
 * Creates the plugins that report operations to `onOperation`: `describe` runs before operations may be rejected,
 * `count` after their errors have codes.
 */
export const createOperationCount = (
  onOperation: (facts: OperationFacts) => void,
): { readonly describe: CountPlugin; readonly count: CountPlugin } => {
  const described = new WeakMap<RequestOrigin, Described>()
  const note = (args: ExecutionArgs & { readonly contextValue: GraphContext }): Described => {
    const facts = describeOperation(args)
    described.set(args.contextValue.origin, facts)
    return facts
  }
  return {
    describe: {
      onExecute: ({ args }) => void note(args),
      // Also over WebSockets, whose results Yoga does not process.
      onSubscribe: ({ args }) => {
        const facts = note(args)
        return {
          onSubscribeResult: ({ result }) => {
            if (!('errors' in result)) onOperation({ ...facts, outcome: 'ok' })
          },
        }
      },
    },
    count: {
      onResultProcess: ({ result, serverContext }) => {
        // A subscription that has started, which is counted above.
        if (Symbol.asyncIterator in result) return
        const { errors = [] }: { errors?: readonly { readonly extensions: object }[] } =
          Object(result)
        const { origin } = serverContext
        const facts = described.get(origin) ?? REJECTED
        onOperation({ ...facts, outcome: outcomeOf(errors, origin) })
      },
    },
  }
}
