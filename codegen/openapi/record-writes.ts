/** Writing records: the operations of every resource that can be written, and what they are given. */
import type { Catalogue } from '../../src/definition/catalogue.ts'
import type { Field } from '../../src/definition/field.ts'
import { pascalCase, type Resource } from '../../src/definition/resource.ts'
import { writableFields } from '../../src/query/write-request.ts'
import { shapesIn } from '../operation-shapes.ts'
import { answer } from './answer.ts'
import { exampleRecord } from './examples.ts'
import { failuresOf, writeCodes } from './failures.ts'
import { inWords } from './in-words.ts'
import { inputObject, inputShapes } from './input-schemas.ts'
import { getQuery, inPath, type Parameter } from './parameters.ts'
import { closedObject, type JsonSchema, refTo } from './schemas.ts'

const canBeWritten = ({ verbs }: Resource): boolean =>
  verbs.includes('create') || verbs.includes('update')

const inputName = ({ typeName }: Resource): string => `${typeName}Input`

/** A record as it is given: the references that are shown as records are ids. */
const exampleInput = (catalogue: Catalogue, resource: Resource): JsonSchema => {
  const record = exampleRecord(catalogue, resource)
  return Object.fromEntries(
    Object.entries<Field>(writableFields(resource)).map(([name, field]) => {
      const value = record[name]
      const isEmbedded = field.kind === 'reference' && field.embeds !== undefined
      return [name, isEmbedded ? Object(value).id : value]
    }),
  )
}

/** A schema for the input of each record, and for each shape in one. */
export const writeSchemas = (catalogue: Catalogue): Readonly<Record<string, JsonSchema>> => {
  const written = catalogue.resources.filter(canBeWritten)
  const inputs = written.map((resource) => [
    inputName(resource),
    {
      description: `What is written of one ${inWords(resource.name)}; what is left out stays as it is, null empties a field.`,
      ...inputObject(writableFields(resource), (_name, { required }) => required),
      examples: [exampleInput(catalogue, resource)],
    },
  ])
  const shapes = written.flatMap(({ fields }) => Object.values(fields).flatMap(shapesIn))
  return { ...inputShapes(shapes), ...Object.fromEntries(inputs) }
}

interface WritePlace {
  readonly tags: readonly string[]
  /** What sets the operation apart from that of the resource's own path: `OfOrder`, ` of an order`. */
  readonly suffix: string
  readonly of: string
  readonly above: readonly Parameter[]
}

type Operation = Readonly<Record<string, unknown>>

/** The writing operations at the path of a list and at that of a record. */
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
    summary: `${summary} ${words}${of}`,
    description,
    tags,
    ...rest,
  })
  const create = operation(
    'create',
    'Create one',
    'In the app first; the answer is the record as the app then has it.',
    {
      parameters: [...above, ...getQuery, key],
      requestBody: body,
      responses: { 200: answer('The record.', record, headers), ...failures },
    },
  )
  const update = operation(
    'update',
    'Change one',
    'In the app first. A record that has changed in the app since it was read here is not overwritten.',
    {
      parameters: [...above, id, ...getQuery, key, version],
      requestBody: body,
      responses: { 200: answer('The record.', record, headers), ...failures },
    },
  )
  const remove = operation(
    'delete',
    'Delete one',
    'In the app; here the record stays, with remoteDeleted true.',
    {
      parameters: [...above, id, ...getQuery, key, version],
      responses: { 200: answer('The record, deleted.', record, headers), ...failures },
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
