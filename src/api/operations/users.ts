/** The end users of the integrator. */
import { defineShape, integer, list, object, reference, text } from '../../definition/field.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import { parseWhole } from '../../query/list-request.ts'
import { createUser, deleteUser, findUser, listUsers } from '../../store/users.ts'
import { noUser } from '../caller.ts'
import { type CallContext, defineOperation, required } from '../operation.ts'
import { UNIFIED_PREFIX } from '../rest/paths.ts'

const tag = 'Users'
const MAX_USERNAME = 255
const MAX_PAGE = 1000

/** The id of an end user, wherever one is given. */
export const userId = required(reference('users', 'The end user.'))

export const EXAMPLE_USER = '0d9c1f7e-5a42-4b63-8f0d-7c2b9e6a1d35'

const user = defineShape({
  name: 'User',
  doc: 'An end user: one customer (tenant) of the integrator.',
  fields: {
    userId,
    username: required(text("The integrator's own name of the user.")),
    fullName: required(text('Full name; empty if none was given.')),
  },
})

const example = { userId: EXAMPLE_USER, username: 'harbour-light', fullName: 'Harbour Light Ltd' }

/** The end user, if the environment has one of that id. @throws USER_NOT_FOUND */
export const requireUser = async (
  { database, caller }: CallContext,
  id: string,
): Promise<string> => {
  const found = await findUser(database, caller.environmentId, id)
  if (found === undefined) throw noUser()
  return found.userId
}

/** A part of a list: `pageSize` and `pageNumber` as the caller gives them. @throws INVALID_PARAMETER */
export const readPage = ({
  pageSize,
  pageNumber,
}: {
  readonly pageSize?: number | null | undefined
  readonly pageNumber?: number | null | undefined
}) => {
  const size = pageSize == null ? undefined : parseWhole('pageSize', pageSize, 1, MAX_PAGE)
  if (pageNumber != null && (pageNumber < 1 || size === undefined))
    throw invalidParameter('pageNumber', 'a whole number from 1, with a pageSize')
  return { size, number: pageNumber ?? 1 }
}

export const pageParameters = {
  pageNumber: integer('Number of the page, from 1; only with a pageSize.'),
  pageSize: integer(`Entries on a page, up to ${MAX_PAGE}; all of them unless given.`),
}

export const userOperations = [
  defineOperation({
    name: 'createUser',
    doc: 'Creates an end user. Most calls need one.',
    tag,
    rest: { method: 'POST', path: '/2023-12/users', shows: ['userId'] },
    callers: ['key'],
    body: {
      username: required(text(`Unique in the environment; 1 to ${MAX_USERNAME} characters.`)),
      fullName: text('Full name, shown in lists.'),
    },
    answer: { value: object(user, 'The end user.') },
    errors: ['USERNAME_TAKEN'],
    example: {
      given: { username: example.username, fullName: example.fullName },
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
    doc: "A token of one end user, for the integrator's frontend.",
    tag,
    rest: { method: 'GET', path: '/2023-12/user/:userId/token' },
    callers: ['key'],
    path: { userId },
    answer: { key: 'token', value: text('A JSON Web Token, to be sent as a bearer.') },
    errors: ['USER_NOT_FOUND'],
    example: { given: { userId: EXAMPLE_USER }, result: 'eyJhbGciOiJFZDI1NTE5In0.eyJzdWIiOi….…' },
    run: async (context, given) => {
      const { environmentId } = context.caller
      const subject = { environmentId, userId: await requireUser(context, given.userId) }
      return (await context.tokens.issue(subject)).token
    },
  }),
  defineOperation({
    name: 'users',
    doc: 'The end users of the environment, oldest first.',
    tag,
    rest: { method: 'GET', path: `${UNIFIED_PREFIX}/users` },
    callers: ['key'],
    query: pageParameters,
    answer: { key: 'data', value: list(user, 'The end users.') },
    example: { given: {}, result: [example] },
    run: ({ database, caller }, page) => listUsers(database, caller.environmentId, readPage(page)),
  }),
  defineOperation({
    name: 'user',
    doc: 'One end user.',
    tag,
    rest: { method: 'GET', path: `${UNIFIED_PREFIX}/users/:userId` },
    callers: ['key'],
    path: { userId },
    answer: { key: 'data', value: object(user, 'The end user.') },
    errors: ['USER_NOT_FOUND'],
    example: { given: { userId: EXAMPLE_USER }, result: example },
    run: async ({ database, caller }, given) => {
      const found = await findUser(database, caller.environmentId, given.userId)
      if (found === undefined) throw noUser()
      return found
    },
  }),
  defineOperation({
    name: 'deleteUser',
    doc: "Deletes an end user with all that is the user's: credentials, their records and installations.",
    tag,
    rest: { method: 'DELETE', path: `${UNIFIED_PREFIX}/users/:userId` },
    callers: ['key'],
    path: { userId },
    answer: { key: 'userId', value: userId },
    errors: ['USER_NOT_FOUND'],
    example: { given: { userId: EXAMPLE_USER }, result: EXAMPLE_USER },
    run: async ({ database, access, caller, afterwards }, given) => {
      if (!(await deleteUser(database, caller.environmentId, given.userId))) throw noUser()
      const deleted = given.userId.toLowerCase()
      afterwards(() => access.forgetUser(deleted))
      return deleted
    },
  }),
]
