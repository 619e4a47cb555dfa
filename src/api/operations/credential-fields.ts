/** The fields that an app describes, to map them to custom fields. */
import { boolean, defineShape, list, text, texts } from '../../definition/field.ts'
import { customFieldType } from '../enumerations.ts'
import { defineOperation, required } from '../operation.ts'
import { CREDENTIAL_PATH, credentialId, EXAMPLE_CREDENTIAL } from './credential-shape.ts'
import { requireCredential } from './credential-syncs.ts'
import { EXAMPLE_USER, userId } from './users.ts'

const appField = defineShape({
  name: 'AppField',
  doc: "A field of an app's records.",
  fields: {
    remoteField: required(text("The path of the value in the app's record: `properties.tier`.")),
    label: required(text('The label that the field has in the app.')),
    type: customFieldType(
      'The type of a custom field that fits it; null: its values have none of these types.',
    ),
    writable: required(boolean('Whether the app accepts values for the field.')),
    options: texts('The values that the app accepts; empty: any value of the type.'),
  },
})

export const credentialFieldOperations = [
  defineOperation({
    name: 'credentialFields',
    summary: 'List the fields of an app',
    doc: "Reads from the app which fields its records have in this account, without those of the unified model. Map one to a custom field with its `remoteField`. NOT_SUPPORTED means that the app does not describe its fields; any path in a record's `remoteFields` can be mapped nevertheless.",
    tag: 'Custom fields',
    rest: { method: 'GET', path: `${CREDENTIAL_PATH}/fields` },
    callers: ['key'],
    path: { userId, credentialId },
    query: { resource: required(text('The topic of the resource, such as `crm/contacts`.')) },
    response: { key: 'data', value: list(appField, 'The fields.') },
    errors: [
      'USER_NOT_FOUND',
      'CREDENTIAL_NOT_FOUND',
      'NOT_SUPPORTED',
      'APP_AUTHENTICATION',
      'APP_REFUSED',
      'APP_ADDRESS',
      'APP_RATE_LIMITED',
      'APP_UNAVAILABLE',
    ],
    example: {
      input: {
        userId: EXAMPLE_USER,
        credentialId: EXAMPLE_CREDENTIAL,
        resource: 'crm/contacts',
      },
      result: [
        {
          remoteField: 'loyalty_points',
          label: 'Loyalty points',
          type: 'number',
          writable: true,
          options: [],
        },
      ],
    },
    run: async (context, { resource, ...path }) => {
      const { credentialId } = await requireCredential(context, path)
      const fields = await context.describeFields(credentialId, resource)
      return fields.map(({ options = [], ...field }) => ({ ...field, options }))
    },
  }),
]
