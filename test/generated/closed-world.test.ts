/** The judge that every test's answers stand before: what is documented passes, and nothing beside it. */
import { expect, test } from 'vitest'
import { type Answer, createJudge } from '../support/closed-world.ts'
import { openapiText } from '../support/openapi.ts'

const judge = createJudge(openapiText)

const healthy: Answer = {
  method: 'GET',
  route: '/health',
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r', vary: '*' },
  body: '{"status":"ok"}',
}
const refused: Answer = {
  ...healthy,
  status: 404,
  body: '{"error":{"code":"NOT_FOUND","message":"No.","requestId":"r"}}',
}
const { 'x-request-id': _, ...anonymous } = healthy.headers

test.each<[string, Answer]>([
  ['an answer as documented', healthy],
  ['the same to HEAD, without its body', { ...healthy, method: 'HEAD', body: '' }],
  ['a parameter in its path', { ...refused, route: '/2024-03/one/users/:userId' }],
  ['an address of nothing', { ...refused, route: undefined }],
  ['a method that is not taken', { ...refused, method: 'PATCH', status: 405 }],
  ['GraphQL, which has a schema of its own', { ...healthy, route: '/graphql', body: '?' }],
])('passes %s', (_name, answer) => {
  expect(judge(answer)).toEqual([])
})

test.each<[string, Answer, RegExp]>([
  ['a path', { ...healthy, route: '/elsewhere' }, /^its path is not documented$/],
  ['a status', { ...healthy, status: 202 }, /^the status 202 is not documented$/],
  ['a status of an address of nothing', { ...refused, route: undefined, status: 500 }, /with 500$/],
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
])('refuses %s that is not documented', (_name, answer, problem) => {
  expect(judge(answer)).toEqual([expect.stringMatching(problem)])
})
