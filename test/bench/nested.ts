/** A nested GraphQL query from our API and from PostGraphile: 20 accounts × 5 contacts × 5 notes, with counts. */
import { isDeepStrictEqual } from 'node:util'
import { type LoadTarget, runLoad } from './load-plan.ts'
import { installPostgraphile, startPostgraphile } from './postgraphile.ts'
import type { Server } from './process.ts'
import { type HttpRequest, listQuestions, type Question } from './question.ts'
import { type BenchmarkOptions, measureTurns, type Result, rateOf, ratioByRound } from './result.ts'
import { seedNested } from './seed-nested.ts'
import { authorization, startTrunkline } from './trunkline.ts'
import { fetchText } from './verify.ts'

// The records fit in the default cache of PostgreSQL.
const CREDENTIALS = 5
const ACCOUNTS_EACH = 150
const MIN_RATE_RATIO = 1.7

const OURS = `
  query Nested($credentialId: ID!, $industry: String!) {
    accounts: crmAccounts(credentialId: $credentialId, first: 20, filter: { industry: $industry }) {
      totalCount
      nodes {
        id accountName industry numberOfEmployees
        contacts(first: 5) {
          totalCount
          nodes {
            id firstName lastName
            notes(first: 5) { totalCount nodes { id noteTitle noteContent } }
          }
        }
      }
    }
  }`

// Our lists leave deleted records out, and are ordered by creation time.
const LIST = 'orderBy: [CREATED_AT_ASC, ROW_ID_ASC], filter: { remoteDeleted: { equalTo: false }'
const POSTGRAPHILE = `
  query Nested($credentialId: UUID!, $industry: String!) {
    accounts: allCrmAccounts(
      first: 20, ${LIST}, credentialId: { equalTo: $credentialId }, industry: { equalTo: $industry } }
    ) {
      totalCount
      nodes {
        id: rowId accountName industry numberOfEmployees
        contacts: crmContactsByCredentialIdAndAccount(first: 5, ${LIST} }) {
          totalCount
          nodes {
            id: rowId firstName lastName
            notes: crmNotesByCredentialIdAndNoteContact(first: 5, ${LIST} }) {
              totalCount
              nodes { id: rowId noteTitle noteContent }
            }
          }
        }
      }
    }
  }`

interface NestedContender {
  readonly name: 'graphql-nested' | 'postgraphile-nested'
  readonly server: Server
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
}

const requestOf = (
  { query, headers }: NestedContender,
  { credentialId, industry }: Question,
): HttpRequest => ({
  method: 'POST',
  path: '/graphql',
  headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
  body: JSON.stringify({ query, variables: { credentialId, industry } }),
})

/** @throws Error unless the accounts, contacts and notes are as many as the query requests */
const checkWhole = (name: string, { data }: { data: Record<string, unknown> }): void => {
  const text = JSON.stringify(data)
  const counts = (text.match(/"totalCount":[1-9]/g) ?? []).length
  const notes = (text.match(/"noteTitle":"/g) ?? []).length
  if (counts !== 1 + 20 + 100 || notes !== 500)
    throw new Error(`${name} returned ${counts} counts and ${notes} notes, expected 121 and 500.`)
}

/** Sends every question to every contender. @throws Error if their responses differ */
const targetsOf = async (
  contenders: readonly NestedContender[],
  questions: readonly Question[],
): Promise<readonly LoadTarget[]> => {
  const expected: unknown[] = []
  const targets: LoadTarget[] = []
  for (const contender of contenders) {
    const { name, server } = contender
    const requests = []
    for (const [index, question] of questions.entries()) {
      const request = requestOf(contender, question)
      const text = await fetchText(server.origin, request)
      const response = JSON.parse(text)
      checkWhole(name, response)
      expected[index] ??= response
      if (!isDeepStrictEqual(response, expected[index]))
        throw new Error(`${name} answered ${JSON.stringify(question)} differently.`)
      requests.push({ ...request, expectedBytes: Buffer.byteLength(text) })
    }
    targets.push({ name, origin: server.origin, serverPid: server.pid, requests })
  }
  return targets
}

/** Measures our nested query against PostGraphile's. */
export const benchmarkNested = async ({
  postgres,
  rounds,
  log,
}: BenchmarkOptions): Promise<readonly Result[]> => {
  const url = await postgres.createDatabase('nested')
  log(`Seeding ${CREDENTIALS * ACCOUNTS_EACH} accounts with contacts and notes.`)
  await seedNested(url, { credentials: CREDENTIALS, recordsEach: ACCOUNTS_EACH })
  await installPostgraphile(log)

  await using stack = new AsyncDisposableStack()
  const postgraphile = (await startPostgraphile(url)).server
  stack.defer(postgraphile.stop)
  const ours = await startTrunkline(url, CREDENTIALS)
  stack.defer(ours.stop)
  const questions = listQuestions(CREDENTIALS)
  const targets = await targetsOf(
    [
      { name: 'postgraphile-nested', server: postgraphile, query: POSTGRAPHILE, headers: {} },
      { name: 'graphql-nested', server: ours, query: OURS, headers: { authorization } },
    ],
    questions,
  )
  log(`Equal responses to ${questions.length} nested queries.`)
  const turns = await runLoad({
    targets,
    postgresPid: postgres.pid,
    connections: 16,
    warmUpMs: 5000,
    rounds,
    rampMs: 250,
    turnMs: 1000,
  })
  const ratio = ratioByRound(
    turns,
    { target: 'graphql-nested', base: 'postgraphile-nested' },
    rateOf,
  )
  const measureTarget = (target: string) =>
    measureTurns(turns.filter((turn) => turn.target === target))
  return [
    { name: 'postgraphile-nested', ratio: 1, ...measureTarget('postgraphile-nested') },
    {
      name: 'graphql-nested',
      ratio,
      floor: `≥ ${MIN_RATE_RATIO}`,
      holds: ratio >= MIN_RATE_RATIO,
      ...measureTarget('graphql-nested'),
    },
  ]
}
