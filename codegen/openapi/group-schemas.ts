/** The JSON schemas of the groups that an aggregate returns. */
import type { Catalogue } from '../../src/definition/catalogue.ts'
import { COLUMN_DECIMAL } from '../../src/definition/decimal.ts'
import type { Resource } from '../../src/definition/resource.ts'
import {
  type AggregateFunction,
  aggregateFunctions,
  groupKeys,
  measuredFields,
} from '../../src/query/aggregate.ts'
import { inWords } from './in-words.ts'
import { type JsonSchema, orNull } from './schemas.ts'

const descriptions: Readonly<Record<AggregateFunction, string>> = {
  sum: 'The exact sums that were requested.',
  avg: 'The averages that were requested, with at least 16 significant digits.',
  min: 'The least values that were requested.',
  max: 'The greatest values that were requested.',
}

const object = (
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  required?: readonly string[],
): JsonSchema => ({
  type: 'object',
  description,
  properties,
  ...(required && { required }),
  additionalProperties: false,
})

const groupSchema = (resource: Resource): JsonSchema => {
  const fields = measuredFields(resource)
  const decimal = orNull({ type: 'string', pattern: COLUMN_DECIMAL.source })
  const numbers = Object.fromEntries(
    fields.map((name) => [name, { description: resource.allFields[name]?.doc, ...decimal }]),
  )
  const key = object(
    'The keys that were requested; null where the records have no value.',
    Object.fromEntries(
      [...groupKeys(resource).values()].map(({ name, doc, jsonSchema }) => [
        name,
        { description: doc, ...orNull(jsonSchema) },
      ]),
    ),
  )
  const functions = fields.length === 0 ? [] : aggregateFunctions
  return object(
    `A group of ${inWords(resource.plural)}.`,
    {
      key,
      count: { description: 'The number of records.', type: 'integer', minimum: 0 },
      ...Object.fromEntries(functions.map((of) => [of, object(descriptions[of], numbers)])),
    },
    ['key', 'count'],
  )
}

/** The schema components of groups, by name. */
export const groupSchemas = ({ resources }: Catalogue): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    resources.map((resource) => [`${resource.typeName}Group`, groupSchema(resource)]),
  )
