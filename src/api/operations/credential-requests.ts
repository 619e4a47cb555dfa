/** The last requests of a credential to its app. */
import { defineShape, enumeration, integer, list, text, timestamp } from '../../definition/field.ts'
import { listAppRequests } from '../../store/accounts/app-requests.ts'
import { httpMethod } from '../enumerations.ts'
import { defineOperation, required } from '../operation.ts'
import { CREDENTIAL_PATH, credentialId, EXAMPLE_CREDENTIAL } from './credential-shape.ts'
import { requireCredential } from './credential-syncs.ts'
import { EXAMPLE_USER, userId } from './users.ts'

const appRequest = defineShape({
  name: 'AppRequest',
  doc: 'A request to an app and its response. Secrets of the credential are replaced by `[redacted]`.',
  fields: {
    at: required(timestamp('When the response was complete, or the request had failed.')),
    purpose: enumeration('What it was for. Null: a check of the credential, or a login.', {
      write: 'A write, a read that guards it, or the passthrough.',
      webhook: 'A fetch after a webhook of the app.',
      changes: 'A listing of changes.',
      history: 'A full listing.',
    }),
    method: required(httpMethod('The HTTP method.')),
    path: required(text('Path and query below the address of the app, at most 1,000 characters.')),
    status: integer('The HTTP status of the response; null without a complete response.'),
    durationMs: required(integer('Time until the failure or the whole response, in milliseconds.')),
    error: text('Why it failed; null: it succeeded.'),
    requestBody: text(
      'The first 2,000 characters of the request body; null without one, and for logins.',
    ),
    responseBody: text(
      'The first 2,000 characters of the response body; null without one, and for logins.',
    ),
  },
})

export const credentialRequestOperations = [
  defineOperation({
    name: 'credentialRequests',
    summary: 'List the last requests of a credential',
    doc: 'Returns the last 100 failed requests of a credential to its app, newest first, of the last week; with `APP_REQUEST_LOG=all`, the successful ones too. A request is listed within seconds.',
    tag: 'Credentials',
    rest: { method: 'GET', path: `${CREDENTIAL_PATH}/requests` },
    callers: ['key'],
    path: { userId, credentialId },
    response: { key: 'requests', value: list(appRequest, 'The requests, newest first.') },
    errors: ['USER_NOT_FOUND', 'CREDENTIAL_NOT_FOUND'],
    example: {
      input: { userId: EXAMPLE_USER, credentialId: EXAMPLE_CREDENTIAL },
      result: [
        {
          at: '2026-03-04T17:05:21.412Z',
          purpose: 'changes',
          method: 'GET',
          path: '/v2/orders?updated_since=2026-03-04T17:05:00.000Z',
          status: 502,
          durationMs: 212,
          error: 'APP_UNAVAILABLE: it answered 502',
          requestBody: null,
          responseBody: '<html>Bad Gateway</html>',
        },
      ],
    },
    run: async (context, input) => {
      const { credentialId } = await requireCredential(context, input)
      const requests = await listAppRequests(context.database, credentialId)
      return requests.map(({ tookMs: durationMs, ...request }) => ({ ...request, durationMs }))
    },
  }),
]
