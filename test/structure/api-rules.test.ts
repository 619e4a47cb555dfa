/** The checks of the API by `npm run check`: each rule of the schema, and each change that breaks clients. */
import { buildSchema } from 'graphql'
import { describe, expect, test } from 'vitest'
import { graphqlBreaks, restBreaks, withoutDescriptions } from '../../tools/api/breaks.ts'
import { type OpenApi, restFacts } from '../../tools/api/rest-facts.ts'
import { checkSchema } from '../../tools/api/schema-rules.ts'

const schemaOf = (types: string, fields = '') =>
  buildSchema(`"The API." schema { query: Query }
    "Reads." type Query { "One." one(${fields || '"An id." id: ID'}): One }
    "One." type One { "The name." name: String }
    ${types}`)

describe('the rules of the schema', () => {
  test.each([
    ['', []],
    ['enum Two { "A." A }', ['Two: a description is missing.']],
    ['"Two." enum Two { A }', ['Two.A: a description is missing.']],
    ['"Two." enum Two { "A." aB }', ['Two.aB: the name is not in UPPER_CASE.']],
    ['"Two." enum TwoEnum { "A." A }', ['TwoEnum: the name repeats the word Enum.']],
    ['"Two." type two { "A." a: ID }', ['two: the name is not in PascalCase.']],
    ['"Two." type Two { a: ID }', ['Two.a: a description is missing.']],
    ['"Two." type Two { "A." a_b: ID }', ['Two.a_b: the name is not in camelCase.']],
    ['"Two." type Two { "A." a(b: ID): ID }', ['Two.a(b:): a description is missing.']],
    ['"Two." input TwoInput { a: ID }', ['TwoInput.a: a description is missing.']],
    [
      '"Two." input Two { "A." a: ID }',
      ['Two: the name of an input type ends in Input or Filter or Order.'],
    ],
    ['"Two." scalar TwoScalar', ['TwoScalar: the name repeats the word Scalar.']],
    ['directive @two on FIELD', ['@two: a description is missing.']],
    [
      '"Two." type Two { "A." a: ID @deprecated }',
      ['Two.a: the deprecation has no reason, which names the replacement.'],
    ],
    [
      '"Two." type TwoConnection { "A." edges: [One!]! "B." nodes: [One!]! "C." pageInfo: One! }',
      ['TwoConnection: a connection has the field totalCount.'],
    ],
    [
      'extend type Query { "Two." getTwo: One }',
      ['Query.getTwo: a query is named after what it returns.'],
    ],
  ])('%s', (types, expected) => {
    // Each schema here also reports its unused type, which is a separate problem.
    const problems = checkSchema(schemaOf(types))
    expect(
      problems.filter((problem) => !problem.endsWith('no field or argument has this type.')),
    ).toEqual(expected)
  })

  test('unused types and a missing description of the schema are reported', () => {
    expect(checkSchema(schemaOf('"Two." scalar Two'))).toEqual([
      'Two: no field or argument has this type.',
    ])
    expect(checkSchema(buildSchema('"Reads." type Query { "One." one: ID }'))).toEqual([
      'schema: a description is missing.',
    ])
  })
})

describe('changes of GraphQL', () => {
  const released = withoutDescriptions(
    '"Reads." type Query { "One." one(id: ID): One } type One { name: String! } enum Two { A B }',
  )

  test('a released schema has no descriptions, which clients do not depend on', () => {
    expect(released).not.toContain('"')
    expect(graphqlBreaks(released, released)).toEqual([])
  })

  test.each([
    ['type Query { one(id: ID): One } type One { name: String! more: ID } enum Two { A B C }', []],
    [
      'type Query { one(id: ID): One } type One { name: String } enum Two { A B }',
      ['GraphQL: One.name changed type from String! to String.'],
    ],
    [
      'type Query { one(id: ID, of: ID!): One } type One { name: String! } enum Two { B }',
      [
        'GraphQL: A required arg of on Query.one was added.',
        'GraphQL: A was removed from enum type Two.',
      ],
    ],
  ])('%s', (current, expected) => {
    expect(graphqlBreaks(released, current)).toEqual(expected)
  })
})

describe('changes of REST', () => {
  const createDocument = (
    change: (schema: object) => object = (same) => same,
    more: object = {},
  ): OpenApi => ({
    paths: {
      '/users': {
        get: {
          parameters: [{ $ref: '#/components/parameters/name' }],
          responses: {
            200: {
              content: { 'application/json': { schema: { $ref: '#/components/schemas/User' } } },
            },
          },
        },
        post: {
          requestBody: {
            content: {
              'application/json': {
                schema: { type: 'object', properties: { name: { type: 'string' } }, ...more },
              },
            },
          },
          responses: {},
        },
      },
    },
    components: {
      parameters: { name: { name: 'name', in: 'query', schema: { type: 'string' } } },
      schemas: {
        User: change({
          type: 'object',
          properties: { name: { type: 'string' }, state: { type: 'string', enum: ['on', 'off'] } },
        }),
      },
    },
  })
  const released = [...restFacts(createDocument())].join('\n')

  test('more fields, parameters and values break nothing', () => {
    const grown = createDocument((user) => ({
      ...user,
      properties: {
        name: { type: 'string' },
        state: { type: 'string', enum: ['on', 'off', 'idle'] },
        more: { type: 'integer' },
      },
    }))
    expect(restBreaks(released, createDocument())).toEqual([])
    expect(restBreaks(released, grown)).toEqual([])
  })

  test('a field, a value or a type that goes away is reported', () => {
    const changed = createDocument(() => ({
      type: 'object',
      properties: { name: { type: 'integer' }, state: { type: 'string', enum: ['on'] } },
    }))
    expect(restBreaks(released, changed)).toEqual([
      'REST: User.name: string was removed or changed.',
      'REST: User.state has off was removed or changed.',
    ])
  })

  test('a path or parameter that goes away is reported, and an input that becomes required', () => {
    const { components, paths } = createDocument(undefined, { required: ['name'] })
    const { post } = paths['/users'] ?? {}
    expect(restBreaks(released, { components, paths: { '/users': post ? { post } : {} } })).toEqual(
      [
        'REST: GET /users was removed or changed.',
        'REST: GET /users query name: string was removed or changed.',
        'REST: GET /users 200: User was removed or changed.',
        'REST: POST /users requires body name, which was optional or did not exist.',
      ],
    )
  })
})
