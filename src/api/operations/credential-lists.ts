/** Lists of credentials. */
import { list, reference, text } from '../../definition/field.ts'
import type { ForwardPage, Listed } from '../../query/listed.ts'
import {
  type CredentialFilter,
  listCredentials,
  pageCredentials,
} from '../../store/accounts/listed-credentials.ts'
import { type CallContext, defineOperation } from '../operation.ts'
import { credential, exampleCredential, toResult } from './credential-shape.ts'
import { EXAMPLE_USER, pageParameters, readPage, scopeOf, userId } from './users.ts'

const tag = 'Credentials'

const listPage = async (
  context: CallContext,
  filter: CredentialFilter,
  page: ForwardPage,
): Promise<Listed<unknown>> => {
  const listed = await pageCredentials(context.database, filter, page)
  return { ...listed, nodes: listed.nodes.map((summary) => toResult(context, summary)) }
}

export const credentialLists = [
  defineOperation({
    name: 'credentials',
    summary: 'List credentials',
    doc: 'Returns the credentials of the environment, of one end user or of one app, oldest first, without their secret values.',
    tag,
    rest: { method: 'GET', path: '/2024-03/credentials' },
    callers: ['key', 'user'],
    query: {
      userId: reference('users', 'Only credentials of this end user.'),
      app: text('Only credentials of this app, such as `vendure`.'),
      ...pageParameters,
    },
    response: { key: 'data', value: list(credential, 'The credentials.') },
    errors: ['USER_NOT_FOUND'],
    example: { input: { userId: EXAMPLE_USER, app: 'vendure' }, result: [exampleCredential] },
    run: async (context, { userId: requestedUser, app, ...page }) => {
      const filter = { ...(await scopeOf(context, requestedUser)), app: app ?? undefined }
      const found = await listCredentials(context.database, filter, readPage(page))
      return found.map((summary) => toResult(context, summary))
    },
    connection: {
      entry: credential,
      read: async (context, { userId: requestedUser, app }, page) =>
        listPage(
          context,
          { ...(await scopeOf(context, requestedUser)), app: app ?? undefined },
          page,
        ),
    },
  }),
  defineOperation({
    name: 'userCredentials',
    summary: 'List the credentials of an end user',
    doc: 'Returns the credentials of an end user, oldest first, without their secret values.',
    tag,
    rest: { method: 'GET', path: '/2024-03/users/:userId/credentials' },
    callers: ['key', 'user'],
    path: { userId },
    response: { key: 'data', value: list(credential, 'The credentials.') },
    errors: ['USER_NOT_FOUND'],
    example: { input: { userId: EXAMPLE_USER }, result: [exampleCredential] },
    run: async (context, input) => {
      const found = await listCredentials(context.database, await scopeOf(context, input.userId))
      return found.map((summary) => toResult(context, summary))
    },
    connection: {
      entry: credential,
      read: async (context, input, page) =>
        listPage(context, await scopeOf(context, input.userId), page),
    },
  }),
]
