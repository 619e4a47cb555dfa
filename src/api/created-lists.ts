/** Operations that list rows in the order of their creation: REST pages them by number, GraphQL after a cursor. */
import { integer, type Shape } from '../definition/field.ts'
import { invalidParameter } from '../errors.ts'
import { parseWhole } from '../query/list-request.ts'
import type { ForwardPage, Listed } from '../query/listed.ts'
import {
  type CreatedList,
  type NumberedPage,
  readForward,
  readNumbered,
} from '../store/accounts/created-list.ts'
import type { CallContext } from './operation.ts'

const MAX_PAGE = 1000

/** The query parameters of a list that is paged by number. */
export const pageParameters = {
  pageNumber: integer('Page number, from 1. Only with pageSize.'),
  pageSize: integer(`Page size, 1 to ${MAX_PAGE}. If omitted, all entries are returned.`),
}

interface PageInput {
  readonly pageSize?: number | null | undefined
  readonly pageNumber?: number | null | undefined
}

/** The requested page; without a `pageSize`, all entries. @throws INVALID_PARAMETER */
const readPage = ({ pageSize, pageNumber }: PageInput): NumberedPage => {
  const size = pageSize == null ? undefined : parseWhole('pageSize', pageSize, 1, MAX_PAGE)
  if (pageNumber != null && (pageNumber < 1 || size === undefined))
    throw invalidParameter('pageNumber', 'a whole number from 1, together with pageSize')
  return { size, number: pageNumber ?? 1 }
}

/** Creates the `run` and the `connection` of an operation. `entry`: the shape of an entry; `listOf`: the requested list. */
export const createListReaders = <Input, Row, Entry>(
  entry: Shape,
  listOf: (context: CallContext, input: Input) => Promise<CreatedList<Row, Entry>>,
) => ({
  run: async (context: CallContext, input: Input & PageInput): Promise<Entry[]> => {
    const list = await listOf(context, input)
    return readNumbered(context.database, list, readPage(input))
  },
  connection: {
    entry,
    read: async (context: CallContext, input: Input, page: ForwardPage): Promise<Listed<Entry>> =>
      readForward(context.database, await listOf(context, input), page),
  },
})
