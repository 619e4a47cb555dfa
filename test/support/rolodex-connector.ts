/** The connector of the rolodex. */
import {
  type AppFailure,
  type AppRequest,
  type AppResponse,
  type Connector,
  defineConnector,
  type Json,
  type ResourceConnector,
  type Steps,
} from '../../src/definition/connector.ts'
import { defineMapping } from '../../src/definition/mapping.ts'
import { account } from '../../src/resources/crm/account.ts'
import { contact } from '../../src/resources/crm/contact.ts'
import type { Card } from './rolodex.ts'

const commonRules = {
  remoteId: 'id',
  remoteCreatedAt: 'created',
  remoteUpdatedAt: 'updated',
  remoteDeleted: 'deleted',
} as const

interface RawPerson {
  readonly mails?: readonly { readonly use: string; readonly address: string }[]
}

const people = defineMapping<typeof contact, RawPerson>(contact, {
  ...commonRules,
  firstName: 'first',
  lastName: 'last',
  account: 'firm',
  addresses: null,
  emailAddresses: ({ mails = [] }) =>
    mails.map(({ use, address }) => ({ emailAddressType: use, emailAddress: address })),
  phoneNumbers: null,
  lastActivityAt: null,
})

const firms = defineMapping(account, {
  ...commonRules,
  accountName: 'name',
  accountOwner: 'owner',
  description: null,
  industry: 'branch',
  website: null,
  numberOfEmployees: 'staff',
  lastActivityAt: null,
  addresses: null,
  phoneNumbers: null,
})

const appNames: Readonly<Record<string, string>> = {
  firstName: 'first',
  lastName: 'last',
  account: 'firm',
  accountName: 'name',
  accountOwner: 'owner',
  industry: 'branch',
  numberOfEmployees: 'staff',
}

const toApp = (fields: Readonly<Record<string, Json>>): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (name !== 'emailAddresses') return [appNames[name] ?? name, value]
      // readInput has read them as objects of these texts.
      const mails = value as { emailAddressType?: string; emailAddress?: string }[]
      return [
        'mails',
        mails.map((mail) => ({
          use: mail.emailAddressType ?? '',
          address: mail.emailAddress ?? '',
        })),
      ]
    }),
  )

function* send(request: AppRequest): Steps<unknown> {
  const { body }: AppResponse = yield request
  return body
}

function* find(path: string): Steps<unknown> {
  try {
    return yield* send({ method: 'GET', path })
  } catch (error) {
    if (Object(error).kind === 'absent') return undefined
    throw error
  }
}

const defineCollection = (
  kind: Card['kind'],
  mapping: ResourceConnector['mapping'],
  fields: readonly string[],
): ResourceConnector => {
  const guard = kind === 'people' ? 'version' : 'compare'
  const versionOf = ({ remoteFields }: Readonly<Record<string, unknown>>): Json =>
    guard === 'version' ? Object(remoteFields).version : null
  return {
    mapping,
    listRequest: ({ since = '', cursor = 0 }) => ({
      method: 'GET',
      path: `/${kind}?since=${since}&from=${cursor}`,
    }),
    readList: ({ body, headers }) => ({ records: body as unknown[], next: headers['x-next'] }),
    readMany: {
      maxIds: 50,
      request: (ids) => ({ method: 'GET', path: `/${kind}?ids=${ids.join(',')}` }),
      read: ({ body }) => body as unknown[],
    },
    sync: { changes: { by: 'time', overlapMs: 1000 }, deletions: 'reported' },
    write: {
      get: (id) => find(`/${kind}/${id}`),
      sideEffects: ({ friends }) =>
        Array.isArray(friends)
          ? friends.map((remoteId) => ({ topic: 'crm/contacts', remoteId: String(remoteId) }))
          : [],
      create: {
        fields,
        steps: (input) =>
          send({
            method: 'POST',
            path: `/${kind}`,
            body: { ...toApp(input.fields), ...input.remoteFields },
          }),
      },
      update: {
        fields,
        guard,
        steps: (input, { remoteId, record }) =>
          send({
            method: 'PUT',
            path: `/${kind}/${remoteId}`,
            body: {
              ...toApp(input.fields),
              ...input.remoteFields,
              version: versionOf(record),
            },
          }),
      },
      delete: {
        guard,
        *steps({ remoteId, record }) {
          yield {
            method: 'DELETE',
            path: `/${kind}/${remoteId}`,
            body: { version: versionOf(record) },
          }
        },
      },
    },
  }
}

const readFailure = ({ status, body }: AppResponse): AppFailure | undefined => {
  if (status < 400 || status === 429) return
  const { reason = 'none', field } = Object(body)
  if (status === 404) return { kind: 'absent', reason }
  if (status === 409) return { kind: 'conflict', reason }
  if (status === 401) return { kind: 'authentication', reason }
  return { kind: status >= 500 ? 'unavailable' : 'refused', reason, ...(field && { field }) }
}

/** The connector of the app at this address: writes to people are guarded by a version, to firms by comparison. */
export const defineRolodexConnector = (url: string): Connector =>
  defineConnector({
    app: 'test',
    name: 'Rolodex',
    doc: 'Cards of people and firms.',
    auth: { none: { type: 'apiKey', fields: {}, baseUrl: url, request: {} } },
    readFailure,
    check: { method: 'GET', path: '/people' },
    resources: {
      'crm/contacts': defineCollection('people', people, [
        'firstName',
        'lastName',
        'account',
        'emailAddresses.emailAddressType',
        'emailAddresses.emailAddress',
      ]),
      'crm/accounts': defineCollection('firms', firms, [
        'accountName',
        'accountOwner',
        'industry',
        'numberOfEmployees',
      ]),
    },
  })
