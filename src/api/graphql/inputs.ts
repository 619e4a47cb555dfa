/** The arguments of a list field: filter, order and page. */
import type { ArgBuilder } from '@pothos/core'
import { z } from 'zod'
import type { Filter } from '../../definition/kinds/kind.ts'
import { type Resource, snakeCase } from '../../definition/resource.ts'
import { type Order, orderFields } from '../../query/cursor.ts'
import type { CustomTypes } from '../../query/custom-filter.ts'
import { filterParameters } from '../../query/filter.ts'
import {
  DEFAULT_PAGE_SIZE,
  defaultOrder,
  type ListFilter,
  MAX_PAGE_SIZE,
  MAX_STALENESS_SECONDS,
  type PageRequest,
  parseConnection,
  parseFilter,
} from '../../query/list-request.ts'
import type { Builder } from './builder.ts'
import type { EnumField, Enums } from './enums.ts'

/** The arguments of a list field, after GraphQL has checked their types. */
export interface ListArguments {
  readonly filter?: Readonly<Record<string, unknown>> | null | undefined
  readonly orderBy?: { readonly field: string; readonly direction: string } | null | undefined
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
  readonly last?: number | null | undefined
  readonly before?: string | null | undefined
}

/** Parses the arguments of a list field. @throws INVALID_PARAMETER, INVALID_CURSOR */
export const readListArguments = (
  resource: Resource,
  { filter, orderBy, ...page }: ListArguments,
  customTypes?: CustomTypes,
): { filter: ListFilter; order: Order; page: PageRequest } => {
  const order = orderBy
    ? { field: orderBy.field, descending: orderBy.direction === 'desc' }
    : defaultOrder
  return {
    filter: parseFilter(resource, filter ?? {}, [], customTypes),
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

/** Creates the filter and order types of a resource; returns the filter type and the list arguments. */
export const createListInputs = (builder: Builder, enums: Enums) => {
  const direction = builder.enumType('OrderDirection', {
    values: { ASC: { value: 'asc' }, DESC: { value: 'desc' } },
  })

  const customFieldFilter = builder.inputType('CustomFieldFilter', {
    description: 'Conditions on one custom field. Its type decides which of them it has.',
    fields: (t) => ({
      name: t.string({ required: true, description: 'The name of the custom field.' }),
      equals: t.field({ type: 'JSON', description: 'Equal to this value.' }),
      notEquals: t.field({ type: 'JSON', description: 'Different from this value, or empty.' }),
      contains: t.string({ description: 'Contains this text, ignoring case.' }),
      min: t.field({ type: 'JSON', description: 'At least this value.' }),
      max: t.field({ type: 'JSON', description: 'At most this value.' }),
    }),
  })

  const filterType = (place: EnumField, { graphql }: Filter) => {
    if ('enumeration' in graphql) return enums(place, graphql.enumeration)
    if ('scalar' in graphql) return graphql.scalar
    throw new TypeError(
      `${place.fieldName} has a filter of objects, which no parameter can represent.`,
    )
  }

  const filterInput = (resource: Resource) =>
    builder.inputType(`${resource.typeName}Filter`, {
      description: `Filters ${resource.plural}. A record must match every condition. The names are those of the REST parameters.`,
      fields: (t) => ({
        ...Object.fromEntries(
          [...filterParameters(resource).values()].map(({ name, doc, field, filter }) => {
            const place = {
              typeName: resource.typeName,
              recordName: resource.name,
              fieldName: field,
            }
            return [name, t.field({ type: filterType(place, filter), description: doc })]
          }),
        ),
        customFields: t.field({
          type: [customFieldFilter],
          description:
            'Conditions on custom fields. Only for lists at the root of a query; not for links and subscriptions.',
        }),
        includeDeleted: t.boolean({
          description: 'Includes records that were deleted in the app.',
        }),
      }),
    })

  const orderType = (resource: Resource) => {
    const field = builder.enumType(`${resource.typeName}OrderField`, {
      values: Object.fromEntries(
        orderFields(resource).map((name) => [snakeCase(name).toUpperCase(), { value: name }]),
      ),
    })
    return builder.inputType(`${resource.typeName}Order`, {
      fields: (t) => ({
        field: t.field({ type: field, required: true }),
        direction: t.field({ type: direction, required: true, defaultValue: 'asc' }),
      }),
    })
  }

  return (resource: Resource) => {
    const filter = filterInput(resource)
    const order = orderType(resource)
    const args = (arg: ArgBuilder<Builder['$inferSchemaTypes']>) => ({
      filter: arg({ type: filter }),
      orderBy: arg({
        type: order,
        description: 'Sort order. The default is by creation time, then by id.',
      }),
      first: arg.int({
        validate: pageSize,
        description: `Page size, 1 to ${MAX_PAGE_SIZE}. The default is ${DEFAULT_PAGE_SIZE}.`,
      }),
      after: arg.string({ validate: cursor }),
      last: arg.int({ validate: pageSize }),
      before: arg.string({ validate: cursor }),
    })
    return { filter, args }
  }
}
