/** What a query may cost: the fields it can answer with, counted with its variables and page sizes. */
import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql'
import {
  type ComplexityEstimatorArgs,
  fieldExtensionsEstimator,
  getComplexity,
  simpleEstimator,
} from 'graphql-query-complexity'
import { ApiError } from '../../errors.ts'
import { DEFAULT_PAGE_SIZE } from '../../query/list-request.ts'

/** Fields in one answer: ten pages of 100 full records, or 100 records each with a page of 20 linked ones. */
export const MAX_COST = 50_000

/** A list costs its page size times what a record of it costs. */
export const listCost = ({ args, childComplexity }: ComplexityEstimatorArgs): number => {
  const size = Number(args.first ?? args.last ?? DEFAULT_PAGE_SIZE)
  return 1 + (Number.isFinite(size) ? Math.max(size, 1) : DEFAULT_PAGE_SIZE) * childComplexity
}

export const tooComplex = (message: string): GraphQLError =>
  new GraphQLError(message, { originalError: new ApiError('QUERY_TOO_COMPLEX', message) })

/** The cost of an operation, or why it has none: variables or arguments that do not fit, too many nodes. */
export const costOf = (
  schema: GraphQLSchema,
  query: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
  operationName: string | undefined,
): number | GraphQLError => {
  const estimators = [fieldExtensionsEstimator(), simpleEstimator({ defaultComplexity: 1 })]
  try {
    return getComplexity({
      schema,
      query,
      variables,
      estimators,
      ...(operationName !== undefined && { operationName }),
    })
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    // What does not fit has a place in the document. The count of nodes has none: fragments within
    // fragments are counted as often as they are spread, to a bound.
    return error.nodes === undefined ? tooComplex(error.message) : error
  }
}
