/** The arguments of a list field: filter, order and page. */
import type { ArgBuilder } from '@pothos/core'
import { z } from 'zod'
import type { Catalogue } from '../../definition/catalogue.ts'
import type { Resource } from '../../definition/resource.ts'
import { MAX_ORDER_FIELDS, type Order, orderFields } from '../../query/cursor.ts'
import type { CustomTypes } from '../../query/custom-filter.ts'
import type { ListFilter } from '../../query/filter.ts'
import { parseFilterInput } from '../../query/filter-input.ts'
import {
  DEFAULT_PAGE_SIZE,
  MAX_PAGE_SIZE,
  MAX_STALENESS_SECONDS,
  orderOf,
  type PageRequest,
  parseConnection,
} from '../../query/list-request.ts'
import { MAX_CREDENTIALS } from '../auth/caller.ts'
import type { Builder } from './builder.ts'
import { type Enums, enumValues } from './enums.ts'
import { createFilterTypes } from './filter-types.ts'

/** The arguments of a list field, after GraphQL has checked their types. */
export interface ListArguments {
  readonly filter?: Readonly<Record<string, unknown>> | null | undefined
  readonly orderBy?:
    | readonly { readonly field: string; readonly direction: string }[]
    | null
    | undefined
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
  readonly last?: number | null | undefined
  readonly before?: string | null | undefined
}

/** Parses the arguments of a list field. @throws INVALID_PARAMETER, INVALID_CURSOR */
export const readListArguments = (
  catalogue: Catalogue,
  resource: Resource,
  { filter, orderBy, ...page }: ListArguments,
  customTypes?: CustomTypes,
): { filter: ListFilter; order: Order; page: PageRequest } => {
  const terms = (orderBy ?? []).map(({ field, direction }) => ({
    field,
    isDescending: direction === 'desc',
  }))
  const order = orderOf(terms)
  return {
    filter: parseFilterInput(
      { catalogue, acceptsLinks: true, customTypes },
      resource,
      filter ?? {},
    ),
    order,
    page: parseConnection(resource, order, page),
  }
}

const sizeError = { error: `a whole number from 1 to ${MAX_PAGE_SIZE}` }
const pageSize = { schema: z.int(sizeError).min(1, sizeError).max(MAX_PAGE_SIZE, sizeError) }
/** A longer text is not a cursor. */
export const MAX_CURSOR_LENGTH = 4096
const ageError = { error: `a whole number from 0 to ${MAX_STALENESS_SECONDS}` }
const staleness = { schema: z.int(ageError).min(0, ageError).max(MAX_STALENESS_SECONDS, ageError) }

/** The argument `maxStalenessSeconds` of root fields. */
export const stalenessArgument = (arg: ArgBuilder<Builder['$inferSchemaTypes']>) =>
  arg.int({
    validate: staleness,
    description: `If the last completed sync of the resource started longer ago, waits up to 5 s for another one, unless the sync is paused or fails. 0 to ${MAX_STALENESS_SECONDS}.`,
  })

const cursor = { schema: z.string().max(MAX_CURSOR_LENGTH, { error: 'a cursor of this list' }) }

/** The arguments that choose the credentials of a list. */
export const scopeArguments = (arg: ArgBuilder<Builder['$inferSchemaTypes']>) => ({
  credentialId: arg.id({ description: 'One credential.' }),
  credentialIds: arg.idList({
    description: `Several credentials, at most ${MAX_CREDENTIALS}.`,
  }),
  userId: arg.id({ description: 'All credentials of this end user.' }),
})

/** Creates the filter and order types of a resource; returns the filter type and the list arguments. */
export const createListInputs = (builder: Builder, enums: Enums, catalogue: Catalogue) => {
  const filterType = createFilterTypes(builder, enums, catalogue)
  const direction = builder.enumType('OrderDirection', {
    description: 'The direction of an order.',
    values: enumValues({ asc: 'Least first.', desc: 'Greatest first.' }),
  })

  const orderType = (resource: Resource) => {
    const field = builder.enumType(`${resource.typeName}OrderField`, {
      description: `The fields by which ${resource.plural} can be ordered.`,
      values: enumValues(
        Object.fromEntries(
          orderFields(resource).map((name) => [name, resource.allFields[name]?.doc ?? '']),
        ),
      ),
    })
    return builder.inputType(`${resource.typeName}Order`, {
      description: `An order of ${resource.plural}.`,
      fields: (t) => ({
        field: t.field({ type: field, required: true, description: 'The field to order by.' }),
        direction: t.field({
          type: direction,
          required: true,
          defaultValue: 'asc',
          description: 'The direction of the order.',
        }),
      }),
    })
  }

  return (resource: Resource) => {
    const filter = filterType(resource)
    const order = orderType(resource)
    const args = (arg: ArgBuilder<Builder['$inferSchemaTypes']>) => ({
      filter: arg({ type: filter, description: 'Only records that match this filter.' }),
      orderBy: arg({
        type: [order],
        description: `The order: by the first field, then by the next; at most ${MAX_ORDER_FIELDS} fields. The default is by creation time. Records with equal values are ordered by id, in the direction of the last field, and those without a value are last.`,
      }),
      first: arg.int({
        validate: pageSize,
        description: `Page size, 1 to ${MAX_PAGE_SIZE}. The default is ${DEFAULT_PAGE_SIZE}.`,
      }),
      after: arg.string({
        validate: cursor,
        description: 'Only records after this cursor, the `endCursor` of a page.',
      }),
      last: arg.int({
        validate: pageSize,
        description: `The size of a page from the end, 1 to ${MAX_PAGE_SIZE}, instead of \`first\`.`,
      }),
      before: arg.string({
        validate: cursor,
        description: 'Only records before this cursor, the `startCursor` of a page.',
      }),
    })
    return { filter, args }
  }
}
