/** The paths, inputs, responses and errors of the operations that are not about records. */
import {
  fieldsAt,
  inputLocations,
  isMandatory,
  isRead,
  type Operation,
  required,
} from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { restResponse } from '../../src/api/rest/operations.ts'
import type { Field, Fields, Shape } from '../../src/definition/kinds/kind.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { operationInputShapes, resultShapes } from '../operation-shapes.ts'
import { bodyCodes, failuresOf, repeatCodes } from './failures.ts'
import { inputObject, inputShapes, properties, schemaOf, shapeName } from './input-schemas.ts'
import { closedObject, type JsonSchema, refTo } from './schemas.ts'
import { successResponse } from './success-response.ts'

/** The schemas of the shapes in inputs and results of operations. */
export const operationSchemas = (): Readonly<Record<string, JsonSchema>> => {
  const output = ({ doc, fields }: Shape): JsonSchema => ({
    description: doc,
    ...closedObject(properties(fields, 'output')),
  })
  return {
    ...Object.fromEntries(resultShapes.map((shape) => [shapeName(shape, 'output'), output(shape)])),
    ...inputShapes(operationInputShapes),
  }
}

/** The error codes of an operation over REST. */
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

/** The error codes of each operation, for the shared response components. */
export const operationFailures: readonly (readonly ErrorCode[])[] = operations.map(codesOf)

const tagDocs: Readonly<Record<string, string>> = {
  Changes:
    'The change log: the changes of records, and past versions of records. GraphQL subscriptions deliver changes live.',
  Users: 'End users: one for each customer (tenant) of your product.',
  Credentials: 'The connections of end users to apps, and the values that each app requires.',
  'Custom fields': 'Fields of apps that you map to custom fields of a resource.',
  Passthrough:
    "Requests to the app's own API with the stored credential, for data outside the unified model.",
  Integrations: 'Integrations that end users can install: an app with workflows.',
  Installations:
    'The integrations that an end user has installed: start, complete, enable, disable and remove.',
  Webhooks: 'Webhook subscriptions, and the messages that their addresses receive.',
  'API keys': 'The API keys of the environment.',
}

/** The tags of the operations. */
export const operationTags: readonly JsonSchema[] = [
  ...new Set(operations.map(({ tag }) => tag)),
].map((name) => {
  const description = tagDocs[name]
  if (description === undefined)
    throw new TypeError(`The tag ${name} has no description. Add it to tagDocs.`)
  return { name, description }
})

const exampleAt = (operation: Operation, fields: Fields) =>
  Object.fromEntries(
    Object.entries(operation.example.input).filter(([name]) => Object.hasOwn(fields, name)),
  )

/** The example of an input field: from the operation's example, the kind, or another operation's example. */
const exampleOf = (operation: Operation, name: string, field: Field): unknown => {
  const own = operation.example.input[name]
  if (own !== undefined || name === 'cursor') return own
  const { values, graphql } = field.kind
  if (values) return values[0]
  if ('scalar' in graphql && graphql.scalar === 'Int') return 1
  return operations.find(({ example }) => name in example.input)?.example.input[name]
}

const parametersOf = (operation: Operation) =>
  inputLocations.flatMap((place) =>
    place === 'body'
      ? []
      : Object.entries(fieldsAt(operation, place)).map(([name, field]) => {
          const example = exampleOf(operation, name, field)
          return {
            name,
            in: place,
            required: place === 'path' || isMandatory(operation, name, field),
            description: field.doc,
            schema: field.kind.jsonSchema('input'),
            // One parameter with comma-separated values.
            ...(field.kind.isList && place === 'query' && { style: 'form', explode: false }),
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

/** The schema of the REST response: the result under its key, or the part of the result that REST shows. */
const resultSchema = ({ response: { key, value }, rest }: Operation): JsonSchema => {
  const { shape, isList } = value.kind
  if (rest.shows !== undefined && shape && !isList) {
    const { fields } = shape
    const shown = Object.entries(fields).filter(([name]) => rest.shows?.includes(name))
    return closedObject(properties(Object.fromEntries(shown), 'output'))
  }
  const schema = schemaOf(required(value), 'output')
  return key === undefined ? schema : closedObject({ [key]: schema })
}

const operationOf = (operation: Operation) => {
  const { name, summary, doc, tag, callers } = operation
  const parameters = [
    ...parametersOf(operation),
    ...(isRead(operation) ? [] : [refTo('parameters', 'Idempotency-Key')]),
  ]
  const requestBody = bodyOf(operation)
  const response = successResponse(
    operation.response.value.doc,
    resultSchema(operation),
    isRead(operation) ? [] : ['Idempotency-Replayed'],
  )
  const { 'application/json': content } = response.content
  return {
    operationId: name,
    summary,
    description: doc,
    tags: [tag],
    ...(callers.includes('user') && { security: [{ apiKey: [] }, { userToken: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: {
      200: {
        ...response,
        content: {
          'application/json': {
            ...content,
            example: restResponse(operation, operation.example.result),
          },
        },
      },
      ...failuresOf(codesOf(operation)),
    },
  }
}

/** The OpenAPI paths of the operations. */
export const operationPaths = () => {
  const paths: Record<string, Record<string, ReturnType<typeof operationOf>>> = {}
  for (const operation of operations) {
    const path = operation.rest.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.rest.method.toLowerCase()]: operationOf(operation) }
  }
  return paths
}
