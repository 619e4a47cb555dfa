/** Benchmark of a filtered page of 50 full records, requested from each contender in turn. */
import { type Contender, type ContenderName, startYardstick } from './contender.ts'
import { runLoad } from './load-plan.ts'
import { installPostgraphile, startPostgraphile } from './postgraphile.ts'
import { listQuestions } from './question.ts'
import {
  type BenchmarkName,
  type BenchmarkOptions,
  measureTurns,
  type Result,
  rateOf,
  ratioByRound,
} from './result.ts'
import { seedAccounts } from './seed.ts'
import { fewFieldsContender, graphqlContender, restContender, startTrunkline } from './trunkline.ts'
import { verifyContenders } from './verify.ts'

const CREDENTIALS = 20
const RECORDS_EACH = 10_000
const MIN_REST_RATIO = 1.15
const MIN_GRAPHQL_RATIO = 0.9
const OUR_BENCHMARKS = ['rest-list', 'graphql-list', 'graphql-few-fields'] as const

/**
 * Measures the selected contenders against the yardstick. Measuring our GraphQL API also measures PostGraphile.
 */
export const benchmarkLists = async (
  wanted: ReadonlySet<BenchmarkName>,
  { postgres, rounds, log }: BenchmarkOptions,
): Promise<readonly Result[]> => {
  const url = await postgres.createDatabase('lists')
  log(`Seeding ${CREDENTIALS * RECORDS_EACH} accounts of ${CREDENTIALS} credentials.`)
  await seedAccounts(url, { credentials: CREDENTIALS, recordsEach: RECORDS_EACH })

  await using stack = new AsyncDisposableStack()
  const contenders: Contender[] = []
  const add = (contender: Contender): void => {
    stack.defer(contender.server.stop)
    contenders.push(contender)
  }
  add(await startYardstick(url))
  if (OUR_BENCHMARKS.some((name) => wanted.has(name))) {
    const server = await startTrunkline(url, CREDENTIALS)
    stack.defer(server.stop)
    if (wanted.has('rest-list')) add(restContender(server))
    if (wanted.has('graphql-list')) add(graphqlContender(server))
    if (wanted.has('graphql-few-fields')) add(fewFieldsContender(server))
  }
  if (wanted.has('postgraphile-list') || wanted.has('graphql-list')) {
    await installPostgraphile(log)
    add(await startPostgraphile(url))
  }

  const queries = listQuestions(CREDENTIALS)
  const lengths = await verifyContenders(contenders, queries)
  log(
    `Equal responses to ${queries.length} questions: ${contenders.map(({ name }) => name).join(', ')}.`,
  )
  const turns = await runLoad({
    targets: contenders.map(({ name, server, request }) => ({
      name,
      origin: server.origin,
      serverPid: server.pid,
      requests: queries.map((question, index) => ({
        ...request(question),
        expectedBytes: lengths.get(name)?.[index] ?? Number.NaN,
      })),
    })),
    postgresPid: postgres.pid,
    connections: 16,
    warmUpMs: 5000,
    rounds,
    rampMs: 250,
    turnMs: 1000,
  })

  const ratio = (target: ContenderName): number =>
    ratioByRound(turns, { target, base: 'yardstick' }, rateOf)
  const floors: Partial<Record<ContenderName, Pick<Result, 'floor' | 'holds'>>> = {
    'rest-list': { floor: `≥ ${MIN_REST_RATIO}`, holds: ratio('rest-list') >= MIN_REST_RATIO },
    'graphql-list': {
      floor: `≥ ${MIN_GRAPHQL_RATIO}, > PostGraphile`,
      holds:
        ratio('graphql-list') >= MIN_GRAPHQL_RATIO &&
        ratio('graphql-list') > ratio('postgraphile-list'),
    },
  }
  return contenders
    .map(({ name }) => name)
    .filter((name) => name === 'yardstick' || wanted.has(name))
    .map((name) => ({
      name,
      ratio: ratio(name),
      ...floors[name],
      ...measureTurns(turns.filter(({ target }) => target === name)),
    }))
}
