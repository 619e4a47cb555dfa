/** The write operations of resources, and their input schemas. */
import type { Catalogue } from '../../src/definition/catalogue.ts'
import type { Field } from '../../src/definition/kinds/kind.ts'
import { pascalCase, type Resource } from '../../src/definition/resource.ts'
import { inputFieldsOf, updatableFields } from '../../src/query/write-request.ts'
import { shapesIn } from '../operation-shapes.ts'
import { exampleRecord } from './examples.ts'
import { failuresOf, writeCodes } from './failures.ts'
import { inWords, withArticle } from './in-words.ts'
import { inputObject, inputShapes } from './input-schemas.ts'
import { getQuery, inPath, type Parameter } from './parameters.ts'
import { closedObject, type JsonSchema, refTo } from './schemas.ts'
import { successResponse } from './success-response.ts'

const isRequired = (_name: string, { required }: Field): boolean => required

const canBeWritten = ({ verbs }: Resource): boolean =>
  verbs.includes('create') || verbs.includes('update')

const inputName = ({ typeName }: Resource): string => `${typeName}Input`
const updateName = ({ typeName }: Resource): string => `${typeName}UpdateInput`

/** The example record as input, with ids for embedded references. It has no custom fields. */
const exampleInput = (catalogue: Catalogue, resource: Resource): JsonSchema => {
  const record = exampleRecord(catalogue, resource)
  return Object.fromEntries(
    Object.entries(inputFieldsOf(resource)).flatMap(([name, field]) => {
      const value = record[name]
      const isEmbedded = field.kind.reference?.embeds !== undefined
      return value === undefined ? [] : [[name, isEmbedded ? Object(value).id : value]]
    }),
  )
}

/** An example of an update of some fields: one field has a value, and another one is cleared. */
const exampleUpdate = (catalogue: Catalogue, resource: Resource): JsonSchema => {
  const fields = updatableFields(resource)
  const texts = Object.entries(fields).flatMap(([name, { kind }]) => {
    const isText = 'scalar' in kind.graphql && kind.graphql.scalar === 'String' && !kind.isList
    return isText && !name.endsWith('Status') ? [name] : []
  })
  const [changed = Object.keys(fields)[0] ?? ''] = texts
  const cleared = texts.find((name) => name !== changed && !fields[name]?.rejectsNull)
  const { [changed]: value } = exampleInput(catalogue, resource)
  return { [changed]: value, ...(cleared !== undefined && { [cleared]: null }) }
}

/** The input schemas of writable resources and their shapes. */
export const writeSchemas = (catalogue: Catalogue): Readonly<Record<string, JsonSchema>> => {
  const written = catalogue.resources.filter(canBeWritten)
  const inputs = written.map((resource) => [
    inputName(resource),
    {
      description: `Fields to write to the ${inWords(resource.name)}. Omitted fields stay unchanged; null clears a field.`,
      ...inputObject(inputFieldsOf(resource), isRequired),
      examples: [exampleInput(catalogue, resource)],
    },
  ])
  const updates = written
    .filter(({ verbs }) => verbs.includes('update'))
    .map((resource) => [
      updateName(resource),
      {
        description: `Fields to change of the ${inWords(resource.name)}. Omitted fields stay unchanged; null clears a field.`,
        ...inputObject(updatableFields(resource), isRequired),
        examples: [exampleUpdate(catalogue, resource)],
      },
    ])
  const shapes = written.flatMap(({ fields }) => Object.values(fields).flatMap(shapesIn))
  return { ...inputShapes(shapes), ...Object.fromEntries([...inputs, ...updates]) }
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
  const bodyOf = (schema: string) => ({
    required: true,
    content: { 'application/json': { schema: refTo('schemas', schema) } },
  })
  const headers = ['ETag', 'Idempotency-Replayed']
  const failures = failuresOf(writeCodes)
  const stored = {
    200: successResponse(`The ${words}, as the app stored it.`, record, headers),
    ...failures,
  }
  const ofOne = [...above, id, ...getQuery, key, version]
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
      requestBody: bodyOf(inputName(resource)),
      responses: stored,
    },
  )
  const update = operation(
    'update',
    'Update',
    `Updates the ${words} in the app, then returns it as the app stored it. Omitted fields keep their values. If the record has changed in the app since the last sync, the request fails with WRITE_CONFLICT.`,
    {
      parameters: ofOne,
      requestBody: bodyOf(inputName(resource)),
      responses: stored,
    },
  )
  const patch = operation(
    'patch',
    'Update some fields of',
    `Updates the fields of the ${words} that are in the body, in the app and then here; no field is required. A body without fields changes nothing and returns the record. In every other respect, the request works like PUT.`,
    {
      parameters: ofOne,
      requestBody: bodyOf(updateName(resource)),
      responses: stored,
    },
  )
  const remove = operation(
    'delete',
    'Delete',
    `Deletes the ${words} in the app. Trunkline keeps its copy, with remoteDeleted set to true.`,
    {
      parameters: ofOne,
      responses: { 200: successResponse(`The deleted ${words}.`, record, headers), ...failures },
    },
  )
  return {
    ofList: { ...(verbs.includes('create') && { post: create }) },
    ofRecord: {
      ...(verbs.includes('update') && { put: update, patch }),
      ...(verbs.includes('delete') && { delete: remove }),
    },
  }
}
