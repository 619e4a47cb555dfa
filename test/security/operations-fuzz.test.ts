/**
 * Random input to every operation, over both transports: each call succeeds or fails with a documented code.
 * No response reveals SQL, a stack trace or a path.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Operation } from '../../src/api/operation.ts'
import { fieldsAt } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import type { Field } from '../../src/definition/field.ts'
import { readError } from '../support/expected-error.ts'
import { documentOf, restRequest } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

// FUZZ_SEED repeats a failed run.
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121)
const RUNS = 25

let service: TestService
let tenant: Tenant
let token: string

beforeAll(async () => {
  service = await startService()
  console.log(`FUZZ_SEED=${SEED}`)
})
// An operation may revoke its keys and delete its user.
beforeEach(async () => {
  tenant = await service.createTenant('development', [])
  token = (await service.tokens.issue(tenant)).token
})
afterAll(() => service.stop())

const nestedLists = (depth: number): unknown =>
  JSON.parse(`${'['.repeat(depth)}1${']'.repeat(depth)}`)

const unusualValues = fc.constantFrom<unknown>(
  ...['', ' ', '\0', 'a\0b', '\ud800', '\u202e', '%', '%zz', '%00', '..', '../../etc/passwd', '/'],
  ...[`' OR '1'='1`, '"; DROP TABLE end_users; --', '{{7*7}}', '<script>', 'null', 'NaN'],
  ...['__proto__', 'constructor', 'toString', 'x'.repeat(600), 'é'.repeat(300)],
  ...['99999999-0000-4000-8000-000000000009', '0', '-1', '1e309', '9'.repeat(40), '2026-02-30'],
  ...[0, -1, 1.5, 1e308, 2 ** 31, 2 ** 53, -(2 ** 63), null, true, false],
  ...[
    [],
    {},
    [[]],
    [null],
    { a: 1 },
    ['x', 'x'],
    { toString: 1 },
    nestedLists(100),
    nestedLists(5000),
  ],
  ...['http://127.0.0.1/', 'https://a.example/', 'https://[::1]/', 'javascript:1', 'https://\0'],
)

/** A valid value for a field, so that invalid values in other fields are reached. */
const validValueOf = ({ kind }: Field, example: unknown): fc.Arbitrary<unknown> =>
  kind.name === 'reference'
    ? fc.constantFrom<unknown>(tenant.userId, example, tenant.userId.toUpperCase())
    : fc.constant(example)

const unusualOf = (field: Field, example: unknown) =>
  fc.oneof(
    { weight: 3, arbitrary: unusualValues },
    { weight: 2, arbitrary: validValueOf(field, example) },
    { weight: 1, arbitrary: fc.anything({ maxDepth: 3, withNullPrototype: false }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  )

/** The value as JSON carries it: what JSON cannot represent is left out. */
const toJson = (value: unknown): unknown => {
  try {
    return JSON.parse(
      JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? String(item) : item)),
    )
  } catch {
    return undefined
  }
}

const inputOf = (operation: Operation): fc.Arbitrary<Record<string, unknown>> => {
  const fields = {
    ...fieldsAt(operation, 'path'),
    ...fieldsAt(operation, 'query'),
    ...fieldsAt(operation, 'body'),
  }
  const { input: example } = operation.example
  return fc
    .record(
      Object.fromEntries(
        Object.entries(fields).map(([name, field]) => [name, unusualOf(field, example[name])]),
      ),
      { requiredKeys: Object.keys(fieldsAt(operation, 'path')) },
    )
    .map((values) => Object.fromEntries(Object.entries(values).map(([k, v]) => [k, toJson(v)])))
}

/** Internals that an unhandled error reveals. */
const INTERNALS =
  /\bat .+:\d+:\d+|node_modules|\/(work|src|home|tmp)\/|prisma|postgres|\b(SELECT|INSERT|UPDATE|DELETE) .*\b(FROM|INTO|SET)\b|relation "|syntax error at|invalid input syntax|TypeError|RangeError|Cannot read/i

const toText = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()

describe.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s',
  (_name, operation) => {
    const check = (response: Awaited<ReturnType<TestService['send']>>, hint: string): void => {
      const isUserError = response.body.includes('"userErrors":[{')
      const isSuccess = response.statusCode === 200 && !response.body.includes('"errors"')
      if (isSuccess && !isUserError) return
      if (response.statusCode === 200 && !isUserError) {
        // For the older media type, GraphQL reports its own errors with status 200.
        const { errors } = response.json()
        expect(errors[0].extensions.code, hint).toBe('BAD_REQUEST')
      } else readError(response, hint)
      // Echoed input may contain anything; the rest of the response may not.
      const { error, errors = [{}] } = response.json()
      const { code, message } = isUserError
        ? readError(response, hint)
        : (error ?? { ...errors[0], ...errors[0].extensions })
      expect(code, hint).not.toBe('INTERNAL')
      if (!hint.includes(INTERNALS.exec(message)?.[0] ?? ' '))
        expect(message).not.toMatch(INTERNALS)
    }

    test('succeeds or fails with a documented code on any input', { timeout: 60_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(inputOf(operation), fc.boolean(), async (values, asUser) => {
          const hint = JSON.stringify(values).slice(0, 2000)
          const bearer = asUser ? token : tenant.key
          const inPath = fieldsAt(operation, 'path')
          const forPath = Object.fromEntries(
            Object.entries(values).map(([name, value]) => [
              name,
              name in inPath ? toText(value) || 'x' : value,
            ]),
          )
          const { method, url, body } = restRequest(
            operation,
            Object.fromEntries(
              Object.entries(forPath).map(([name, value]) => [
                name,
                name in fieldsAt(operation, 'query') ? toText(value) : value,
              ]),
            ),
          )
          check(await service.send(bearer, method, url, body), `${method} ${url} ${hint}`)
          const flat = { ...inPath, ...fieldsAt(operation, 'query') }
          const [input, others] = [false, true].map((isFlat) =>
            Object.fromEntries(
              Object.entries(values).filter(([name]) => Object.hasOwn(flat, name) === isFlat),
            ),
          )
          const variables = operation.body ? { ...others, input } : values
          const result = await service.server.inject({
            url: '/graphql',
            method: 'POST',
            headers: { authorization: `Bearer ${bearer}` },
            payload: { query: documentOf(operation), variables },
          })
          check(result, `GraphQL ${hint}`)
        }),
        { seed: SEED, numRuns: RUNS },
      )
    })
  },
)
