/** Lists of credentials. */
import { list, reference, text } from '../../definition/field.ts'
import { mapEntries } from '../../store/accounts/created-list.ts'
import { credentialsOf } from '../../store/accounts/listed-credentials.ts'
import { createListReaders, pageParameters } from '../created-lists.ts'
import { type CallContext, defineOperation } from '../operation.ts'
import { credential, exampleCredential, toResult } from './credential-shape.ts'
import { EXAMPLE_USER, type OfUser, scopeOf, userId } from './users.ts'

const tag = 'Credentials'

interface CredentialsInput extends OfUser {
  readonly app?: string | null | undefined
}

const credentialReaders = createListReaders(
  credential,
  async (context: CallContext, { userId, app }: CredentialsInput) => {
    const filter = { ...(await scopeOf(context, userId)), app: app ?? undefined }
    return mapEntries(credentialsOf(filter), (summary) => toResult(context, summary))
  },
)

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
    ...credentialReaders,
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
    ...credentialReaders,
  }),
]
