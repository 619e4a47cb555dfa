/** The filter input types of resources, which refer to each other. */
import type { Catalogue } from '../../definition/catalogue.ts'
import type { Resource } from '../../definition/resource.ts'
import { memoize } from '../../memoize.ts'
import { type FilterParameter, filterParameters } from '../../query/filter.ts'
import {
  listQuantifiers,
  MAX_FILTER_CONDITIONS,
  MAX_FILTER_LEVELS,
  MAX_INPUT_VALUES,
} from '../../query/filter-input.ts'
import { type FilterLink, filterLinks } from '../../query/filter-links.ts'
import type { Builder } from './builder.ts'
import type { Enums } from './enums.ts'

const makeFilter = (builder: Builder, name: string) =>
  builder.inputRef<Record<string, unknown>>(name)

export type FilterType = ReturnType<typeof makeFilter>

const quantifierDocs: Readonly<Record<(typeof listQuantifiers)[number], string>> = {
  some: 'At least one of the records matches.',
  every: 'Each of the records matches, or there are none.',
  none: 'None of the records matches.',
}

/** Creates the filter type of each resource, and of the lists of records that filters can follow. */
export const createFilterTypes = (builder: Builder, enums: Enums, catalogue: Catalogue) => {
  const typeOf = ({ typeName, name }: Resource, { field, type }: FilterParameter) => {
    const { graphql } = type
    if ('enumeration' in graphql)
      return enums({ typeName, recordName: name, fieldName: field }, graphql.enumeration)
    if ('scalar' in graphql) return graphql.scalar
    throw new TypeError(`${field} has a filter of objects, which no parameter can represent.`)
  }

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

  /** The type of a filter of several linked records. */
  const listFilter = memoize((resource: Resource): FilterType => {
    const type = makeFilter(builder, `${resource.typeName}ListFilter`)
    type.implement({
      description: `Filters records by their ${resource.plural}. If several fields are set, all must hold.`,
      fields: (t) =>
        Object.fromEntries(
          listQuantifiers.map((quantifier) => [
            quantifier,
            t.field({ type: filterType(resource), description: quantifierDocs[quantifier] }),
          ]),
        ),
    })
    return type
  })

  const linkDoc = ({ to, field, holder, isList }: FilterLink): string => {
    if (holder === 'linked')
      return `A filter of the ${to.plural} whose ${field} refers to the record.`
    return isList
      ? `A filter of the ${to.plural} to which ${field} refers.`
      : `A filter of the ${to.name} to which ${field} refers; records without one do not match.`
  }

  const filterType = memoize((resource: Resource): FilterType => {
    const type = makeFilter(builder, `${resource.typeName}Filter`)
    const links = [...(filterLinks(catalogue).get(resource)?.values() ?? [])]
    type.implement({
      description: `Filters ${resource.plural}. A record must match every condition. The names of the parameters are those of REST. At most ${MAX_FILTER_CONDITIONS} conditions and ${MAX_INPUT_VALUES} values, on ${MAX_FILTER_LEVELS} levels.`,
      fields: (t) => ({
        ...Object.fromEntries(
          [...filterParameters(resource).values()].map((parameter) => {
            const { name, doc: description, type: parameterType } = parameter
            const value = typeOf(resource, parameter)
            return [
              name,
              parameterType.isList
                ? t.field({ type: [value], description })
                : t.field({ type: value, description }),
            ]
          }),
        ),
        customFields: t.field({
          type: [customFieldFilter],
          description:
            'Conditions on custom fields. Only for lists and aggregates at the root of a query, and not in nested filters; not for links and subscriptions.',
        }),
        includeDeleted: t.boolean({
          description: 'Includes records that were deleted in the app.',
        }),
        ...Object.fromEntries(
          links.map((link) => [
            link.name,
            t.field({
              type: link.isList ? listFilter(link.to) : filterType(link.to),
              description: linkDoc(link),
            }),
          ]),
        ),
        and: t.field({ type: [type], description: 'Every one of these filters matches.' }),
        or: t.field({ type: [type], description: 'At least one of these filters matches.' }),
        not: t.field({
          type,
          description:
            'The filter does not match. Records without a value match a negated comparison.',
        }),
      }),
    })
    return type
  })

  return filterType
}
