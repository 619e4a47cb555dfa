/** The ways to connect an app, as operations describe them. */
import type { AuthMethod, AuthMethods } from '../../definition/auth.ts'
import { boolean, defineShape, list, text } from '../../definition/field.ts'
import { toLabel } from '../../definition/label.ts'
import { listOAuthClients } from '../../store/accounts/oauth-clients.ts'
import { credentialType } from '../enumerations.ts'
import { type CallContext, required } from '../operation.ts'

/** A field that the end user fills in. */
export const connectField = defineShape({
  name: 'ConnectableAppField',
  doc: 'A field that the end user fills in to connect an app.',
  fields: {
    name: required(text('The name of the field in `credential`.')),
    label: required(text('The name of the field as people know it, such as `API key`.')),
    description: required(text('What the field contains, and where to find it in the app.')),
    required: required(boolean('Whether the field is required.')),
    secret: required(boolean('Whether to hide the value while it is typed.')),
    example: text('An example value.'),
  },
})

/** One way to connect an app. */
export const connectMethod = defineShape({
  name: 'ConnectableAppMethod',
  doc: 'One way to connect an app.',
  fields: {
    method: required(
      text('The name of the method, for `method` of a new credential or authorization.'),
    ),
    type: required(credentialType('How the app is connected by it.')),
    label: required(text('The name of the method as people know it.')),
    available: required(
      boolean('Whether it can be used: for OAuth, the environment has an OAuth client.'),
    ),
    fields: list(connectField, 'The fields to fill in.'),
  },
})

const labelOf = ({ type, label }: AuthMethod, appName: string): string => {
  if (label !== undefined) return label
  switch (type) {
    case 'apiKey':
      return 'API key'
    case 'session':
      return 'User name and password'
    case 'clientCredentials':
      return 'Client credentials'
    case 'oauth2':
      return `Sign in with ${appName}`
  }
}

/** The methods of an app. `hasClient`: it can be connected with OAuth. */
export const describeMethods = (
  { name: appName, auth }: { readonly name: string; readonly auth: AuthMethods },
  hasClient: boolean,
) =>
  Object.entries(auth).map(([name, method]) => ({
    method: name,
    type: method.type,
    label: labelOf(method, appName),
    available: method.type !== 'oauth2' || hasClient,
    fields: Object.entries(method.fields).map(
      ([field, { label, doc, secret, example, optional }]) => ({
        name: field,
        label: label ?? toLabel(field),
        description: doc,
        required: !optional,
        secret,
        example: example ?? null,
      }),
    ),
  }))

/** The apps that can be connected with OAuth: the environment has a client, and the service a public address. */
export const listClientApps = async ({
  database,
  caller,
  redirectUri,
}: Pick<CallContext, 'database' | 'caller' | 'redirectUri'>): Promise<ReadonlySet<string>> => {
  if (redirectUri() === undefined) return new Set()
  return new Set((await listOAuthClients(database, caller.environmentId)).map(({ app }) => app))
}
