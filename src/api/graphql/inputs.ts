/** The arguments of a list: filter, order and page, from the definition of its resource. */
import type { ArgBuilder } from '@pothos/core'
import { z } from 'zod'
import { type Resource, snakeCase } from '../../definition/resource.ts'
import { type Order, orderFields } from '../../query/cursor.ts'
import { type FilterParameter, filterParameters } from '../../query/filter.ts'
import {
  DEFAULT_PAGE_SIZE,
  defaultOrder,
  type ListFilter,
  type ListPage,
  MAX_PAGE_SIZE,
  parseConnection,
  parseFilter,
} from '../../query/list-request.ts'
import type { Builder } from './builder.ts'
import type { Enums } from './enums.ts'

/** What a list field is given, once GraphQL has checked its types. */
export interface ListArguments {
  readonly filter?: Readonly<Record<string, unknown>> | null | undefined
  readonly orderBy?: { readonly field: string; readonly direction: string } | null | undefined
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
  readonly last?: number | null | undefined
  readonly before?: string | null | undefined
}

/** @throws INVALID_PARAMETER, INVALID_CURSOR */
export const readListArguments = (
  resource: Resource,
  { filter, orderBy, ...page }: ListArguments,
): { filter: ListFilter; order: Order; page: ListPage } => {
  const order = orderBy
    ? { field: orderBy.field, descending: orderBy.direction === 'desc' }
    : defaultOrder
  return {
    filter: parseFilter(resource, filter ?? {}),
    order,
    page: parseConnection(resource, order, page),
  }
}

const sizeError = { error: `a whole number from 1 to ${MAX_PAGE_SIZE}` }
const pageSize = { schema: z.int(sizeError).min(1, sizeError).max(MAX_PAGE_SIZE, sizeError) }
const cursor = { schema: z.string().max(4096, { error: 'a cursor of this list' }) }

const scalars = {
  text: 'String',
  integer: 'Int',
  number: 'Float',
  decimal: 'Float',
  boolean: 'Boolean',
  reference: 'ID',
  timestamp: 'DateTime',
  date: 'DateTime',
  enumeration: 'String',
} as const satisfies Record<FilterParameter['kind'], string>

/** Makes the input types of each resource, and answers its filter and the arguments that its lists take. */
export const createListInputs = (builder: Builder, enums: Enums) => {
  const direction = builder.enumType('OrderDirection', {
    values: { ASC: { value: 'asc' }, DESC: { value: 'desc' } },
  })

  const filterType = (resource: Resource) =>
    builder.inputType(`${resource.typeName}Filter`, {
      description: `Which ${resource.plural} a list holds: those that meet every condition. The names are those of the REST parameters.`,
      fields: (t) => ({
        ...Object.fromEntries(
          [...filterParameters(resource).values()].map(({ name, doc, kind, definition, field }) => {
            const { typeName, name: recordName } = resource
            const type =
              definition.kind === 'enumeration'
                ? enums({ typeName, recordName, fieldName: field }, definition)
                : scalars[kind]
            return [name, t.field({ type, description: doc })]
          }),
        ),
        includeDeleted: t.boolean({ description: 'Also records that are deleted in the app.' }),
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
    const filter = filterType(resource)
    const order = orderType(resource)
    const args = (arg: ArgBuilder<Builder['$inferSchemaTypes']>) => ({
      filter: arg({ type: filter }),
      orderBy: arg({ type: order, description: 'By creation unless given; ties by id.' }),
      first: arg.int({
        validate: pageSize,
        description: `At most 100, ${DEFAULT_PAGE_SIZE} unless given.`,
      }),
      after: arg.string({ validate: cursor }),
      last: arg.int({ validate: pageSize }),
      before: arg.string({ validate: cursor }),
    })
    return { filter, args }
  }
}
