/** End users: the customers of the integrator. */
import { defineShape, list, object, reference, text } from '../../definition/field.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import { createUser, deleteUser, findUser, usersOf } from '../../store/accounts/users.ts'
import { type Caller, noUser } from '../auth/caller.ts'
import { createListReaders, pageParameters } from '../created-lists.ts'
import { type CallContext, defineOperation, required } from '../operation.ts'
import { UNIFIED_PREFIX } from '../rest/paths.ts'

const tag = 'Users'
const MAX_USERNAME = 255

/** The input and output field of an end user's id. */
export const userId = required(reference('users', 'The end user.'))

export const EXAMPLE_USER = '0d9c1f7e-5a42-4b63-8f0d-7c2b9e6a1d35'

export const user = defineShape({
  name: 'User',
  doc: 'An end user: one customer (tenant) of the integrator.',
  fields: {
    userId,
    username: required(text("The integrator's own identifier of the end user.")),
    fullName: required(text('Full name; an empty string if not set.')),
  },
})

const example = { userId: EXAMPLE_USER, username: 'harbour-light', fullName: 'Harbour Light Ltd' }

/** The id of an existing end user of the environment. @throws USER_NOT_FOUND */
export const requireUser = async (
  { database, caller }: CallContext,
  id: string,
): Promise<string> => {
  const found = await findUser(database, caller.environmentId, id)
  if (found === undefined) throw noUser()
  return found.userId
}

/** An environment, and the end user to which a request is limited. */
export interface RequestScope {
  readonly environmentId: string
  /** Undefined: all end users. */
  readonly userId: string | undefined
}

/** What a caller may use: a user token is limited to its end user. */
export const scopeOfCaller = (caller: Caller): RequestScope => ({
  environmentId: caller.environmentId,
  userId: caller.kind === 'user' ? caller.userId : undefined,
})

/** The input of an operation that can be limited to an end user. */
export interface OfUser {
  readonly userId?: string | null | undefined
}

/** The environment of the caller, and the requested end user. @throws USER_NOT_FOUND */
export const scopeOf = async (
  context: CallContext,
  userId: string | null | undefined,
): Promise<RequestScope> => ({
  environmentId: context.caller.environmentId,
  userId: userId == null ? undefined : await requireUser(context, userId),
})

export const userOperations = [
  defineOperation({
    name: 'createUser',
    summary: 'Create an end user',
    doc: 'Creates an end user, to whom credentials and installations then belong.',
    tag,
    rest: { method: 'POST', path: '/2023-12/users', shows: ['userId'] },
    callers: ['key'],
    body: {
      username: required(text(`Unique in the environment; 1 to ${MAX_USERNAME} characters.`)),
      fullName: text('Full name, returned in lists.'),
    },
    response: { payloadField: 'user', value: object(user, 'The end user.') },
    errors: ['USERNAME_TAKEN'],
    example: {
      input: { username: example.username, fullName: example.fullName },
      result: example,
    },
    run: async ({ database, caller }, { username, fullName }) => {
      if (username.trim() === '' || username.length > MAX_USERNAME)
        throw invalidParameter('username', `1 to ${MAX_USERNAME} characters`)
      const created = await createUser(database, caller.environmentId, {
        username,
        fullName: fullName ?? null,
      })
      if (created !== 'taken') return created
      throw new ApiError('USERNAME_TAKEN', 'Another end user has this username.', [
        { field: 'username', expected: 'a username that no other end user has' },
      ])
    },
  }),
  defineOperation({
    name: 'userToken',
    mutation: 'createUserToken',
    summary: 'Create a user token',
    doc: "Creates a token that authenticates one end user in the integrator's frontend.",
    tag,
    rest: { method: 'GET', path: '/2023-12/user/:userId/token' },
    callers: ['key'],
    path: { userId },
    response: { key: 'token', value: text('A JSON Web Token, to be sent as a bearer token.') },
    errors: ['USER_NOT_FOUND'],
    example: { input: { userId: EXAMPLE_USER }, result: 'eyJhbGciOiJFZDI1NTE5In0.eyJzdWIiOi….…' },
    run: async (context, input) => {
      const { environmentId } = context.caller
      const subject = { environmentId, userId: await requireUser(context, input.userId) }
      return (await context.tokens.issue(subject)).token
    },
  }),
  defineOperation({
    name: 'users',
    summary: 'List end users',
    doc: 'Returns the end users of the environment, oldest first, or the one with a username.',
    tag,
    rest: { method: 'GET', path: `${UNIFIED_PREFIX}/users` },
    callers: ['key'],
    query: {
      username: text('Only the end user with exactly this username.'),
      ...pageParameters,
    },
    response: { key: 'data', value: list(user, 'The end users.') },
    example: { input: {}, result: [example] },
    ...createListReaders(
      user,
      async (
        { caller: { environmentId } },
        { username }: { readonly username?: string | null | undefined },
      ) => usersOf({ environmentId, username: username ?? undefined }),
    ),
  }),
  defineOperation({
    name: 'user',
    summary: 'Get an end user',
    doc: 'Returns one end user: a customer (tenant) of your product.',
    tag,
    rest: { method: 'GET', path: `${UNIFIED_PREFIX}/users/:userId` },
    callers: ['key'],
    path: { userId },
    response: { key: 'data', value: object(user, 'The end user.') },
    errors: ['USER_NOT_FOUND'],
    example: { input: { userId: EXAMPLE_USER }, result: example },
    run: async ({ database, caller }, input) => {
      const found = await findUser(database, caller.environmentId, input.userId)
      if (found === undefined) throw noUser()
      return found
    },
  }),
  defineOperation({
    name: 'deleteUser',
    summary: 'Delete an end user',
    doc: "Deletes an end user with the user's credentials, records and installations.",
    tag,
    rest: { method: 'DELETE', path: `${UNIFIED_PREFIX}/users/:userId` },
    callers: ['key'],
    path: { userId },
    response: { key: 'userId', value: userId },
    errors: ['USER_NOT_FOUND'],
    example: { input: { userId: EXAMPLE_USER }, result: EXAMPLE_USER },
    check: ({ prepareUnsubscribe, caller: { environmentId } }, input) =>
      prepareUnsubscribe({ environmentId, userId: input.userId }),
    run: async ({ database, access, caller, onCommit, checked, prepareRevocation }, input) => {
      const { environmentId } = caller
      const credentials = await access.credentialsOfUser(environmentId, input.userId)
      const revoke = await prepareRevocation((credentials ?? []).map(({ id }) => id))
      if (!(await deleteUser(database, environmentId, input.userId))) throw noUser()
      const deleted = input.userId.toLowerCase()
      onCommit(() => {
        access.forgetUser(deleted)
        checked?.()
        revoke()
      })
      return deleted
    },
  }),
]
