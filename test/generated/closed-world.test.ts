/** The response checker of all tests: it accepts documented responses and nothing else. */
import { expect, test } from 'vitest'
import { type CheckedResponse, createResponseChecker } from '../support/closed-world.ts'
import { openapiText } from '../support/openapi.ts'

const check = createResponseChecker(openapiText)

const healthy: CheckedResponse = {
  method: 'GET',
  route: '/health',
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r', vary: '*' },
  body: '{"status":"ok"}',
}
const refused: CheckedResponse = {
  ...healthy,
  status: 404,
  body: '{"error":{"code":"NOT_FOUND","message":"No.","requestId":"r"}}',
}
const { 'x-request-id': _, ...anonymous } = healthy.headers

test.each<[string, CheckedResponse]>([
  ['a documented response', healthy],
  ['the same response to HEAD, without its body', { ...healthy, method: 'HEAD', body: '' }],
  ['a parameter in its path', { ...refused, route: '/2024-03/one/users/:userId' }],
  ['an unknown address', { ...refused, route: undefined }],
  ['a method that is not allowed', { ...refused, method: 'PATCH', status: 405 }],
  ['GraphQL, which has a schema of its own', { ...healthy, route: '/graphql', body: '?' }],
])('accepts %s', (_name, response) => {
  expect(check(response)).toEqual([])
})

test.each<[string, CheckedResponse, RegExp]>([
  ['a path', { ...healthy, route: '/elsewhere' }, /^its path is not documented$/],
  ['a status', { ...healthy, status: 202 }, /^the status 202 is not documented$/],
  ['a status at an unknown address', { ...refused, route: undefined, status: 500 }, /status 500$/],
  ['a field', { ...healthy, body: '{"status":"ok","more":1}' }, /additional properties more$/],
  ['a value', { ...healthy, body: '{"status":"well"}' }, /^\/status must be equal to constant/],
  ['a code', { ...refused, route: undefined, body: refused.body.replace('NOT_', '') }, /code must/],
  ['a header', { ...healthy, headers: { ...healthy.headers, etag: '"1"' } }, /header etag is not/],
  ['a missing header', { ...healthy, headers: anonymous }, /^the header x-request-id is missing$/],
  [
    'another type',
    { ...healthy, headers: { ...healthy.headers, 'content-type': 'text/html' } },
    /^its content type is text\/html$/,
  ],
])('reports %s that is not documented', (_name, response, problem) => {
  expect(check(response)).toEqual([expect.stringMatching(problem)])
})
