/** Custom fields: the integrator maps fields of an app to custom fields of a resource. */
import type { CustomField } from '../../definition/custom-field.ts'
import { defineShape, list, object, reference, text, timestamp } from '../../definition/field.ts'
import { nearest } from '../../definition/nearest.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import { operatorEndings } from '../../query/custom-filter.ts'
import {
  type CustomFieldOwner,
  type CustomFieldProblem,
  createCustomField,
  deleteCustomField,
  findCustomField,
  listCustomFields,
  MAX_CUSTOM_FIELDS,
  type StoredCustomField,
  updateCustomField,
} from '../../store/accounts/custom-fields.ts'
import { resolveCredential } from '../auth/caller.ts'
import { requireApp } from '../credential-input.ts'
import { customFieldType } from '../enumerations.ts'
import { type CallContext, defineOperation, required } from '../operation.ts'
import { app } from './apps.ts'

const tag = 'Custom fields'
const PATH = '/2024-03/custom-fields'

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/
const MAX_PATH_LENGTH = 200
const MAX_STEPS = 8

const id = required(reference('custom-fields', 'The custom field.'))
const resource = required(text('The topic of the resource, such as `crm/contacts`.'))

/** What a caller may change of a custom field. */
const mapping = {
  name: required(
    text(
      'The name in `customFields`: a letter, then letters, digits and `_`, at most 64. It does not end with the suffix of a filter, such as `Min`.',
    ),
  ),
  type: required(customFieldType('The type of the values.')),
  remoteField: required(
    text(
      "The path of the value in the app's record, with dots between its steps: `properties.tier`.",
    ),
  ),
}

const credentialId = reference(
  'credentials',
  'The only credential to which the field applies. Null: all credentials of the app.',
)

const customField = defineShape({
  name: 'CustomField',
  doc: 'A field of an app that is mapped to a custom field of a resource.',
  fields: {
    id,
    resource,
    ...mapping,
    app,
    credentialId,
    createdAt: required(timestamp('When it was created.')),
    updatedAt: required(timestamp('When it was last changed.')),
  },
})

const EXAMPLE_ID = '7c1d5e0a-3b64-4f7e-9a55-0c8b1f2d6e90'

const exampleMapping = { name: 'loyaltyPoints', type: 'number', remoteField: 'loyalty_points' }
const example = {
  id: EXAMPLE_ID,
  resource: 'crm/contacts',
  ...exampleMapping,
  app: 'sandbox',
  credentialId: null,
  createdAt: '2026-03-02T09:30:00.000Z',
  updatedAt: '2026-03-02T09:30:00.000Z',
}

const toResult = (field: StoredCustomField) => ({
  id: field.id,
  resource: field.topic,
  name: field.name,
  type: field.type,
  remoteField: field.remoteField,
  app: field.app,
  credentialId: field.credentialId,
  createdAt: field.createdAt.toISOString(),
  updatedAt: field.updatedAt.toISOString(),
})

/** @throws INVALID_PARAMETER */
const readMapping = ({ name, type, remoteField }: CustomField): CustomField => {
  if (!NAME.test(name))
    throw invalidParameter('name', 'a letter, then letters, digits and _, at most 64 characters')
  if (operatorEndings.some((ending) => name.endsWith(ending)))
    throw invalidParameter('name', `a name that does not end with ${operatorEndings.join(', ')}`)
  const steps = remoteField.split('.')
  if (remoteField.length > MAX_PATH_LENGTH || steps.length > MAX_STEPS || steps.includes(''))
    throw invalidParameter(
      'remoteField',
      `a path such as properties.tier, at most ${MAX_PATH_LENGTH} characters and ${MAX_STEPS} steps`,
    )
  return { name, type, remoteField }
}

/** The topic of a resource that a connector has. @throws INVALID_PARAMETER */
const readTopic = (context: CallContext, appName: string, topic: string): string => {
  const connector = requireApp(context, appName)
  if (Object.hasOwn(connector.resources, topic)) return topic
  throw invalidParameter(
    'resource',
    `a resource of ${connector.name}, such as ${nearest(topic, Object.keys(connector.resources))}`,
  )
}

/** The credential's id, if it is one of the app. @throws CREDENTIAL_NOT_FOUND, INVALID_PARAMETER */
const readCredentialId = async (
  { access, caller }: CallContext,
  appName: string,
  credentialId: string | null | undefined,
): Promise<string | null> => {
  if (credentialId == null) return null
  const credential = await resolveCredential(access, caller, credentialId)
  if (credential.app === appName) return credential.id
  throw invalidParameter('credentialId', `a credential of ${appName}`)
}

/** @throws NOT_FOUND */
const requireCustomField = async (
  { database, caller }: CallContext,
  id: string,
): Promise<StoredCustomField & CustomFieldOwner> => {
  const { environmentId } = caller
  const found = await findCustomField(database, environmentId, id)
  if (found) return { ...found, environmentId }
  throw new ApiError(
    'NOT_FOUND',
    'No custom field has this id. GET /2024-03/custom-fields lists them.',
  )
}

/** INVALID_PARAMETER for a custom field that cannot be stored. */
const rejection = (problem: CustomFieldProblem, name: string): ApiError =>
  problem === 'name-taken'
    ? invalidParameter('name', `another name than ${name}, which another custom field has`)
    : invalidParameter('resource', `at most ${MAX_CUSTOM_FIELDS} custom fields of one resource`)

export const customFieldOperations = [
  defineOperation({
    name: 'customFields',
    summary: 'List custom fields',
    doc: 'Returns the custom fields of the environment, by app, resource and name.',
    tag,
    rest: { method: 'GET', path: PATH },
    callers: ['key'],
    query: {
      app: text('Only those of this app.'),
      resource: text('Only those of this resource, such as `crm/contacts`.'),
    },
    response: { key: 'data', value: list(customField, 'The custom fields.') },
    example: { input: {}, result: [example] },
    run: async ({ database, caller }, { app, resource }) => {
      const filter = { app: app ?? undefined, topic: resource ?? undefined }
      return (await listCustomFields(database, caller.environmentId, filter)).map(toResult)
    },
  }),
  defineOperation({
    name: 'createCustomField',
    summary: 'Create a custom field',
    doc: 'Maps a field of an app to a custom field of a resource. A full sync of the resource starts in every credential to which it applies; each record has its value in `customFields` once it is synced.',
    tag,
    rest: { method: 'POST', path: PATH },
    callers: ['key'],
    body: { resource, ...mapping, app, credentialId },
    response: { key: 'customField', value: object(customField, 'The custom field.') },
    errors: ['CREDENTIAL_NOT_FOUND'],
    example: {
      input: { resource: 'crm/contacts', ...exampleMapping, app: 'sandbox' },
      result: example,
    },
    run: async (context, input) => {
      const owner = {
        environmentId: context.caller.environmentId,
        app: input.app,
        topic: readTopic(context, input.app, input.resource),
        credentialId: await readCredentialId(context, input.app, input.credentialId),
      }
      const field = readMapping(input)
      const created = await context.database.transaction((transaction) =>
        createCustomField(transaction, owner, field),
      )
      if (typeof created === 'string') throw rejection(created, field.name)
      return toResult(await requireCustomField(context, created.id))
    },
  }),
  defineOperation({
    name: 'updateCustomField',
    summary: 'Update a custom field',
    doc: 'Replaces the name, the type and the path of a custom field. A change starts a full sync as a new field does; until a record is synced, it has its earlier value.',
    tag,
    rest: { method: 'PUT', path: `${PATH}/:id` },
    callers: ['key'],
    path: { id },
    body: mapping,
    response: { key: 'customField', value: object(customField, 'The custom field.') },
    errors: ['NOT_FOUND'],
    example: { input: { id: EXAMPLE_ID, ...exampleMapping }, result: example },
    run: async (context, input) => {
      const stored = await requireCustomField(context, input.id)
      const field = readMapping(input)
      const problem = await context.database.transaction((transaction) =>
        updateCustomField(transaction, stored, field),
      )
      if (problem) throw rejection(problem, field.name)
      return toResult(await requireCustomField(context, stored.id))
    },
  }),
  defineOperation({
    name: 'deleteCustomField',
    summary: 'Delete a custom field',
    doc: 'Deletes a custom field. A full sync starts, which removes its values from the records.',
    tag,
    rest: { method: 'DELETE', path: `${PATH}/:id` },
    callers: ['key'],
    path: { id },
    response: { key: 'customFieldId', value: id },
    errors: ['NOT_FOUND'],
    example: { input: { id: EXAMPLE_ID }, result: EXAMPLE_ID },
    run: async (context, input) => {
      const stored = await requireCustomField(context, input.id)
      await context.database.transaction((transaction) => deleteCustomField(transaction, stored))
      return stored.id
    },
  }),
]
