/** The write operations of resources, and their input schemas. */
import type { Catalogue } from '../../src/definition/catalogue.ts'
import { pascalCase, type Resource } from '../../src/definition/resource.ts'
import { writableFields } from '../../src/query/write-request.ts'
import { shapesIn } from '../operation-shapes.ts'
import { exampleRecord } from './examples.ts'
import { failuresOf, writeCodes } from './failures.ts'
import { inWords, withArticle } from './in-words.ts'
import { inputObject, inputShapes } from './input-schemas.ts'
import { getQuery, inPath, type Parameter } from './parameters.ts'
import { closedObject, type JsonSchema, refTo } from './schemas.ts'
import { successResponse } from './success-response.ts'

const canBeWritten = ({ verbs }: Resource): boolean =>
  verbs.includes('create') || verbs.includes('update')

const inputName = ({ typeName }: Resource): string => `${typeName}Input`

/** The example record as input, with ids for embedded references. */
const exampleInput = (catalogue: Catalogue, resource: Resource): JsonSchema => {
  const record = exampleRecord(catalogue, resource)
  return Object.fromEntries(
    Object.entries(writableFields(resource)).map(([name, field]) => {
      const value = record[name]
      const isEmbedded = field.kind.reference?.embeds !== undefined
      return [name, isEmbedded ? Object(value).id : value]
    }),
  )
}

/** The input schemas of writable resources and their shapes. */
export const writeSchemas = (catalogue: Catalogue): Readonly<Record<string, JsonSchema>> => {
  const written = catalogue.resources.filter(canBeWritten)
  const inputs = written.map((resource) => [
    inputName(resource),
    {
      description: `Fields to write to the ${inWords(resource.name)}. Omitted fields stay unchanged; null clears a field.`,
      ...inputObject(writableFields(resource), (_name, { required }) => required),
      examples: [exampleInput(catalogue, resource)],
    },
  ])
  const shapes = written.flatMap(({ fields }) => Object.values(fields).flatMap(shapesIn))
  return { ...inputShapes(shapes), ...Object.fromEntries(inputs) }
}

interface WritePlace {
  readonly tags: readonly string[]
  /** Suffix of the operation id for a nested path: `OfOrder`. */
  readonly suffix: string
  /** Suffix of the summary for a nested path: ` of an order`. */
  readonly of: string
  /** Path parameters of the parent. */
  readonly above: readonly Parameter[]
}

type Operation = Readonly<Record<string, unknown>>

/** The write operations at the path of the list and at the path of a record. */
export const recordWrites = (
  resource: Resource,
  { tags, suffix, of, above }: WritePlace,
): {
  readonly ofList: Readonly<Record<string, Operation>>
  readonly ofRecord: Readonly<Record<string, Operation>>
} => {
  const { typeName, name, verbs } = resource
  const words = inWords(name)
  const key = refTo('parameters', 'Idempotency-Key')
  const version = refTo('parameters', 'If-Match')
  const id = inPath('id', words)
  const record = closedObject({ [name]: refTo('schemas', typeName) })
  const body = {
    required: true,
    content: { 'application/json': { schema: refTo('schemas', inputName(resource)) } },
  }
  const headers = ['ETag', 'Idempotency-Replayed']
  const failures = failuresOf(writeCodes)
  const operation = (verb: string, summary: string, description: string, rest: Operation) => ({
    operationId: `${verb}${pascalCase(typeName)}${suffix}`,
    summary: `${summary} ${withArticle(words)}${of}`,
    description,
    tags,
    ...rest,
  })
  const create = operation(
    'create',
    'Create',
    `Creates the ${words} in the app, then returns it as the app stored it.`,
    {
      parameters: [...above, ...getQuery, key],
      requestBody: body,
      responses: {
        200: successResponse(`The ${words}, as the app stored it.`, record, headers),
        ...failures,
      },
    },
  )
  const update = operation(
    'update',
    'Update',
    `Updates the ${words} in the app, then returns it as the app stored it. Omitted fields keep their values. If the record has changed in the app since the last sync, the request fails with WRITE_CONFLICT.`,
    {
      parameters: [...above, id, ...getQuery, key, version],
      requestBody: body,
      responses: {
        200: successResponse(`The ${words}, as the app stored it.`, record, headers),
        ...failures,
      },
    },
  )
  const remove = operation(
    'delete',
    'Delete',
    `Deletes the ${words} in the app. Trunkline keeps its copy, with remoteDeleted set to true.`,
    {
      parameters: [...above, id, ...getQuery, key, version],
      responses: { 200: successResponse(`The deleted ${words}.`, record, headers), ...failures },
    },
  )
  return {
    ofList: { ...(verbs.includes('create') && { post: create }) },
    ofRecord: {
      ...(verbs.includes('update') && { put: update }),
      ...(verbs.includes('delete') && { delete: remove }),
    },
  }
}
