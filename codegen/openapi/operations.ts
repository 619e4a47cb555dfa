/** The operations beside those on records: their paths, inputs, answers and failures. */
import {
  fieldsAt,
  inputPlaces,
  isMandatory,
  isRead,
  type Operation,
  required,
} from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { restAnswer } from '../../src/api/rest/operations.ts'
import type { Field, Fields, Shape } from '../../src/definition/field.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { answeredShapes, givenShapes } from '../operation-shapes.ts'
import { answer } from './answer.ts'
import { bodyCodes, failuresOf, repeatCodes } from './failures.ts'
import { inWords } from './in-words.ts'
import {
  inputObject,
  inputShapes,
  present,
  properties,
  schemaOf,
  shapeName,
} from './input-schemas.ts'
import { closedObject, type JsonSchema, refTo } from './schemas.ts'

/** A schema for each shape that an operation is given or answers with. */
export const operationSchemas = (): Readonly<Record<string, JsonSchema>> => {
  const output = ({ doc, fields }: Shape): JsonSchema => ({
    description: doc,
    ...closedObject(properties(fields, 'output')),
  })
  return {
    ...Object.fromEntries(
      answeredShapes.map((shape) => [shapeName(shape, 'output'), output(shape)]),
    ),
    ...inputShapes(givenShapes),
  }
}

/** Every code that an operation can fail with over REST. */
const codesOf = (operation: Operation): readonly ErrorCode[] => {
  const { callers, errors = [] } = operation
  const codes: readonly ErrorCode[] = [
    'BAD_REQUEST',
    'INVALID_PARAMETER',
    ...(isRead(operation) ? [] : bodyCodes),
    'UNAUTHENTICATED',
    'RATE_LIMITED',
    ...(isRead(operation) ? [] : repeatCodes),
    ...(callers.includes('user') ? [] : (['FORBIDDEN'] as const)),
    ...errors,
    'INTERNAL',
    'NOT_READY',
  ]
  return codes
}

/** The codes of each operation, for the responses that they share. */
export const operationFailures: readonly (readonly ErrorCode[])[] = operations.map(codesOf)

const tagDocs: Readonly<Record<string, string>> = {
  Changes: 'The change log: what changed, and how records were. Subscriptions follow it live.',
  Users: 'The end users of the integrator: one for each customer (tenant).',
  Credentials: 'The connections of end users to apps, and what each app asks for.',
  Passthrough:
    "What the unified model does not have: the app's own API, with the stored credential.",
  Integrations: 'What end users can install: an app with workflows.',
  Installations: 'End users’ use of integrations: begun, completed, switched and ended.',
  Webhooks: 'Addresses that are told of changes.',
  'API keys': 'The keys of the environment, managed by its own backend.',
}

/** A tag for each heading of the operations. */
export const operationTags: readonly JsonSchema[] = [
  ...new Set(operations.map(({ tag }) => tag)),
].map((name) => {
  const description = tagDocs[name]
  if (description === undefined) throw new TypeError(`The tag ${name} has no description.`)
  return { name, description }
})

const exampleAt = (operation: Operation, fields: Fields) =>
  Object.fromEntries(
    Object.entries(operation.example.given).filter(([name]) => Object.hasOwn(fields, name)),
  )

/** What an operation may be given under a name: by its own example, by that of another, by the kind. */
const exampleOf = (operation: Operation, name: string, field: Field): unknown => {
  const own = operation.example.given[name]
  if (own !== undefined || name === 'cursor') return own
  if (field.kind === 'integer') return 1
  if (field.kind === 'enumeration') return field.values[0]
  return operations.find(({ example }) => name in example.given)?.example.given[name]
}

const parametersOf = (operation: Operation) =>
  inputPlaces.flatMap((place) =>
    place === 'body'
      ? []
      : Object.entries(fieldsAt(operation, place)).map(([name, field]) => {
          const example = exampleOf(operation, name, field)
          return {
            name,
            in: place,
            required: place === 'path' || isMandatory(operation, name, field),
            description: field.doc,
            schema: present(field, 'input'),
            // One parameter, its values apart by commas.
            ...(field.kind === 'texts' && place === 'query' && { style: 'form', explode: false }),
            ...(example !== undefined && { example }),
          }
        }),
  )

const bodyOf = (operation: Operation) => {
  if (operation.body === undefined) return
  const fields = fieldsAt(operation, 'body')
  return {
    required: true,
    content: {
      'application/json': {
        schema: inputObject(fields, (name, field) => isMandatory(operation, name, field)),
        example: exampleAt(operation, fields),
      },
    },
  }
}

/** The answer as REST has it: its key, or the part of the result that it shows. */
const answerSchema = ({ answer: { key, value }, rest }: Operation): JsonSchema => {
  if (rest.shows !== undefined && value.kind === 'object') {
    const { fields } = value.shape as Shape
    const shown = Object.entries(fields).filter(([name]) => rest.shows?.includes(name))
    return closedObject(properties(Object.fromEntries(shown), 'output'))
  }
  const schema = schemaOf(required(value), 'output')
  return key === undefined ? schema : closedObject({ [key]: schema })
}

/** `generateApiKey` → `Generate API key` */
const sentence = (name: string): string => {
  const words = inWords(name)
    .replace(/\bapi\b/, 'API')
    .replace('oauth url', 'OAuth URL')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

const operationOf = (operation: Operation) => {
  const { name, doc, tag, callers } = operation
  const parameters = [
    ...parametersOf(operation),
    ...(isRead(operation) ? [] : [refTo('parameters', 'Idempotency-Key')]),
  ]
  const requestBody = bodyOf(operation)
  const answered = answer(
    'What came of it.',
    answerSchema(operation),
    isRead(operation) ? [] : ['Idempotency-Replayed'],
  )
  const { 'application/json': content } = answered.content
  return {
    operationId: name,
    summary: sentence(name),
    description: doc,
    tags: [tag],
    ...(callers.includes('user') && { security: [{ apiKey: [] }, { userToken: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: {
      200: {
        ...answered,
        content: {
          'application/json': {
            ...content,
            example: restAnswer(operation, operation.example.result),
          },
        },
      },
      ...failuresOf(codesOf(operation)),
    },
  }
}

/** The paths of the operations, each with its methods. */
export const operationPaths = () => {
  const paths: Record<string, Record<string, ReturnType<typeof operationOf>>> = {}
  for (const operation of operations) {
    const path = operation.rest.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.rest.method.toLowerCase()]: operationOf(operation) }
  }
  return paths
}
