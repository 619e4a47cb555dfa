/**
 * Access control: every route of the server and every field of its schema, called by every kind of caller.
 * The expected results are in a table (support/matrix/expected.ts), not derived from the server.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSchema } from '../../src/api/graphql/schema.ts'
import { recordId } from '../../src/definition/identity.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { collectRoutes, definedRoutes, graphqlRows, restRows } from '../support/matrix/all-rows.ts'
import { type Caller, createCallers, type MatrixEnvironments } from '../support/matrix/callers.ts'
import { type Expected, expectedOf, hiddenFrom } from '../support/matrix/expected.ts'
import { type Fingerprints, openFingerprints } from '../support/matrix/fingerprint.ts'
import {
  type FilledEnvironment,
  type Ids,
  type MatrixHarness,
  openMatrixHarness,
} from '../support/matrix/harness.ts'
import type { Row } from '../support/matrix/rows.ts'
import { openapiText } from '../support/openapi.ts'
import { restErrorOf, type UserError } from '../support/user-errors.ts'

const NEVER = '99999999-0000-4000-8000-000000000009'

/** An unused id in the form that ids of this kind have. */
const neverOf = (target: string): string =>
  target.includes('/') ? recordId(NEVER, target, '1') : NEVER

let harness: MatrixHarness
let routes: readonly { readonly method: string; readonly url: string }[]
let environments: MatrixEnvironments
let callers: readonly Caller[]
let rows: readonly Row[]
let fingerprints: Fingerprints

beforeAll(async () => {
  ;[harness, routes] = await collectRoutes(openMatrixHarness)
  environments = {
    own: await harness.createFilledEnvironment('development', 'Ours'),
    sibling: await harness.createFilledEnvironment('production', 'Ours'),
    foreign: await harness.createFilledEnvironment('development', 'Theirs'),
  }
  callers = await createCallers(harness.service, environments)
  rows = [
    ...routes.flatMap((route) => restRows(harness, route)),
    ...graphqlRows(harness, buildSchema(catalogue)),
  ]
  fingerprints = await openFingerprints(harness.service.database)
})
afterAll(() => harness.service.stop())

interface Outcome {
  readonly status: number
  readonly code: string | undefined
  readonly message: string | undefined
  readonly body: string
}

const send = async (row: Row, authorization: string | undefined, ids: Ids): Promise<Outcome> => {
  const { method, url, payload } = row.request(ids)
  const response = await harness.service.server.inject({
    method: method as 'GET',
    url,
    headers: authorization === undefined ? {} : { authorization },
    ...(payload && { payload }),
  })
  const { statusCode: status, body, headers } = response
  const isJson = String(headers['content-type']).includes('json') && method !== 'HEAD'
  const parsed = isJson && body !== '' && !url.startsWith('/openapi') ? response.json() : {}
  const [answer] = Object.values<{ userErrors?: readonly UserError[] } | null>(parsed.data ?? {})
  const userError = restErrorOf(answer?.userErrors ?? [])
  const error = userError ?? parsed.error ?? parsed.errors?.[0]
  return {
    status: userError?.status ?? status,
    body,
    message: error?.message,
    code: error?.code ?? error?.extensions?.code,
  }
}

/** The response without the parts that differ each time; a compiled operation reports no locations. */
const removeVaryingParts = ({ status, body }: Outcome, id: string): unknown => {
  const omitVarying = (name: string, value: unknown): unknown =>
    name === 'requestId' || name === 'locations' ? undefined : value
  return { status, body: body && JSON.parse(body.replaceAll(id, 'ID'), omitVarying) }
}

const idsOf = (own: FilledEnvironment, caller: Caller): Ids => ({ ...own.ids, ...caller.ids })

const labelOf = (row: Row, caller: Caller): string => `${row.name} · ${caller.name}`

/** Sends the request as a caller who must not succeed, and checks the error. */
const expectRejected = async (
  row: Row,
  caller: Caller,
  expected: Exclude<Expected, { outcome: 'allowed' | 'open' }>,
): Promise<void> => {
  const hint = labelOf(row, caller)
  const isHead = row.name.includes(' HEAD ')
  if (expected.outcome === 'refused') {
    const { status, code } = await send(row, caller.authorization, environments.own.ids)
    expect([status, code], hint).toEqual([expected.status, isHead ? undefined : expected.code])
    return
  }
  for (const { target, absentStatus } of expected.objects) {
    const idsWith = (id: string): Ids => ({ ...idsOf(environments.own, caller), [target]: id })
    const mine = environments.own.ids[target] ?? ''
    const response = await send(row, caller.authorization, idsWith(mine))
    const never = await send(row, caller.authorization, idsWith(neverOf(target)))
    expect(response.status, `${hint} ${target} ${response.body}`).toBe(absentStatus)
    expect(removeVaryingParts(response, mine), hint).toEqual(
      removeVaryingParts(never, neverOf(target)),
    )
    if (absentStatus === 404 && !isHead) expect(response.code, hint).toMatch(/NOT_FOUND$/)
  }
}

/** Sends the request as an allowed caller; a write gets a new environment. */
const expectAllowed = async (row: Row, caller: Caller): Promise<void> => {
  const hint = labelOf(row, caller)
  const { own } = environments
  let { authorization, ids } = caller
  if (row.consumes !== undefined)
    ids = { ...ids, [row.consumes]: await harness.createRecord(own, row.consumes) }
  else if (row.changes && !row.isOfRecords) {
    const fresh = await harness.createEnvironment()
    authorization = `Bearer ${caller.kind === 'key' ? fresh.key : fresh.token}`
    ids = { ...own.ids, ...fresh.ids }
  }
  const mentions = Object.values(own.ids)
  const before = caller.relation === 'elsewhere' && (await fingerprints.take(mentions))
  const response = await send(row, authorization, ids)
  expect
    .soft([response.status, response.code], `${hint} ${response.body}`)
    .toEqual([row.allowed.status, row.name.includes(' HEAD ') ? undefined : row.allowed.code])
  for (const [target, id] of Object.entries(own.ids))
    if (hiddenFrom(caller.relation, target)) expect(response.body, hint).not.toContain(id)
  if (before !== false) expect(await fingerprints.take(mentions), hint).toBe(before)
}

test('the matrix has every route and every field', () => {
  const actual = routes.map(({ method, url }) => `${method} ${url}`)
  expect(actual).toEqual(expect.arrayContaining([...definedRoutes()]))
  const { paths } = JSON.parse(openapiText) as { paths: Record<string, object> }
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => /^(get|post|put|patch|delete)$/.test(method))
      .map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  )
  expect(documented.length).toBeGreaterThan(100)
  expect(actual).toEqual(expect.arrayContaining(documented))
})

test('every cell matches the table', { timeout: 300_000 }, async () => {
  let cells = 0
  const allowed: (readonly [Row, Caller])[] = []
  let before = await fingerprints.take()
  for (const row of rows) {
    for (const caller of callers) {
      const expected = expectedOf(row, caller)
      cells++
      if (expected.outcome === 'allowed') allowed.push([row, caller])
      else if (expected.outcome === 'open') {
        const { status } = await send(row, caller.authorization, environments.own.ids)
        expect(status, labelOf(row, caller)).toBe(row.allowed.status)
      } else await expectRejected(row, caller, expected)
    }
    if (row.changes) {
      const after = await fingerprints.take()
      expect(after, `${row.name}, or a read before it, changed something`).toBe(before)
      before = after
    }
  }
  expect(await fingerprints.take()).toBe(before)
  for (const [row, caller] of allowed) await expectAllowed(row, caller)
  console.log(`${cells} cells, ${cells} as the table says`)
  expect(cells).toBe(rows.length * callers.length)
})
