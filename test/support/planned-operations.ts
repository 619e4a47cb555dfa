/** Runs random operations by their plans and by the resolvers, and compares data, order and errors. */
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  getOperationAST,
  parse,
  validate,
} from 'graphql'
import { expect } from 'vitest'
import type { ApiContext } from '../../src/api/context.ts'
import type { GraphContext } from '../../src/api/graphql/builder.ts'
import { createLoaders } from '../../src/api/graphql/loaders.ts'
import { NotPlannedError } from '../../src/api/graphql/plan/not-planned.ts'
import { createPlans, type OperationPlan, runPlan } from '../../src/api/graphql/plan/plans.ts'
import { buildSchema } from '../../src/api/graphql/schema.ts'
import { coerceVariables } from '../../src/api/graphql/variables.ts'
import { recordId } from '../../src/definition/identity.ts'
import type { RecordRow } from '../../src/definition/mapping.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { ApiError } from '../../src/errors.ts'
import { catalogue } from '../../src/generated/registry.ts'
import type { Database } from '../../src/store/database/database.ts'
import { type RandomOperation, randomOperation } from './random-operations.ts'
import { sampleRecord } from './sample.ts'
import { startService } from './service.ts'

const A = 'aaaaaaaa-0000-4000-8000-000000000001'
const B = 'bbbbbbbb-0000-4000-8000-000000000002'
const RECORDS_PER_RESOURCE = 5

/** JSON that contains the separators of the members of a record. */
const MISLEADING = {
  createdAt: 'x',
  'a,"remoteDeleted":false,': ['}', '{"id":1}', '\\', '\\"', '"', ',"createdAt":'],
  addresses: [{ street1: null, '\\': { '"': 1.5 } }, [], {}],
  big: 1e21,
  text: 'é\u2028𝄞\u0007\t\n',
}

const TEXTS = ['\\', '"', '\\"', ',"createdAt":"', '{[', ']}', 'é𝄞\u2028', '', 'null']

/** References: several to one record, some to no record; every third sample has none. */
const sharedReferences = (credentialId: string, { allFields }: Resource, n: number) =>
  Object.fromEntries(
    Object.entries(allFields).flatMap(([name, { kind }]): [string, unknown][] => {
      if (!kind.reference || n % 3 === 0) return []
      const idOf = (remoteId: number): string =>
        recordId(credentialId, kind.reference?.target ?? '', String(remoteId))
      const missing = RECORDS_PER_RESOURCE + 1
      return [[name, kind.isList ? [2, 1, missing, 2].map(idOf) : idOf(n === 4 ? missing : 2)]]
    }),
  )

/** A sample whose texts and JSON look like the JSON around them. */
const misleadingRecord = (credentialId: string, resource: Resource, n: number): RecordRow => {
  const sample = {
    ...sampleRecord(credentialId, resource, n),
    ...sharedReferences(credentialId, resource, n),
    remoteDeleted: n === 5,
  }
  const texts = Object.entries(resource.allFields)
    .filter(([name, { kind }]) => kind.name === 'text' && name !== 'remoteId')
    .map(([name], index) => [name, TEXTS[(index + n) % TEXTS.length]])
  return n % 2 === 0
    ? { ...sample, remoteFields: MISLEADING }
    : { ...sample, ...Object.fromEntries(texts), remoteFields: MISLEADING }
}

type Statement = Parameters<Database['queryRows']>[0]

/** The same database, which runs each statement once: the records do not change during the test. */
const withCachedReads = (database: Database, seen: Set<string>): Database => {
  const runOnce = (run: (statement: Statement) => Promise<unknown>) => {
    const results = new Map<string, Promise<unknown>>()
    return (statement: Statement) => {
      seen.add(statement.sql)
      const key = JSON.stringify([statement.sql, statement.values])
      const result = results.get(key) ?? run(statement)
      results.set(key, Promise.resolve(result))
      return result
    }
  }
  const { queryRows } = database
  const prisma = { $queryRaw: runOnce((statement) => database.prisma.$queryRaw(statement)) }
  return {
    ...database,
    prisma: prisma as unknown as Database['prisma'],
    queryRows: runOnce(queryRows) as Database['queryRows'],
  }
}

/** The outcome of comparing operations. */
export interface Comparison {
  /** Operations with a plan. */
  readonly planned: number
  /** Root fields that the resolvers ran, because they have no plan. */
  readonly resolved: number
  /** Planned operations with links to other records, at any depth. */
  readonly linked: number
  /** The distinct statements of the plans. */
  readonly statements: readonly string[]
}

/** The errors of a result, sorted: resolvers of one level may fail in any order. */
const errorsOf = ({ errors = [] }: ExecutionResult) =>
  errors
    .map(({ message, path, locations }) => ({ message, path, locations }))
    .toSorted((a, b) => String(a.path).localeCompare(String(b.path)))

/** Compares the operations of the seeds `from` to `to`. A difference fails the test and shows the operation. */
export const compareOperations = async (from: number, to: number): Promise<Comparison> => {
  const service = await startService()
  try {
    const tenant = await service.createTenant('development', [A, B])
    for (const resource of catalogue.resources) {
      for (const credentialId of [A, B])
        await service.save(
          tenant,
          credentialId,
          resource,
          Array.from({ length: RECORDS_PER_RESOURCE }, (_, n) =>
            misleadingRecord(credentialId, resource, n + 1),
          ),
        )
      // PostgreSQL builds the text of these records from their columns.
      await service.database.prisma.$executeRawUnsafe(
        `UPDATE ${resource.table} SET document = NULL WHERE remote_id IN ('1', '2')`,
      )
    }
    const schema = buildSchema(catalogue)
    const planOf = createPlans(catalogue)
    const owner = await service.access.keyOwner(tenant.key)
    const planStatements = new Set<string>()
    const contextOf = (statements: Set<string>) => {
      const database = withCachedReads(service.database, statements)
      // The parts of the context that read records.
      const api = { database, access: service.access, catalogue } as unknown as ApiContext
      return (): GraphContext =>
        ({ ...api, caller: { kind: 'key', ...owner }, loaders: createLoaders(api) }) as GraphContext
    }
    const planContext = contextOf(planStatements)
    const resolverContext = contextOf(new Set())

    const planFor = (document: DocumentNode, { variables }: RandomOperation) => {
      const operation = getOperationAST(document)
      if (!operation) throw new TypeError('The document has no operation.')
      const { coerced } = coerceVariables(schema, operation, variables)
      const plan = coerced && planOf({ schema, document }, operation, coerced)
      return plan && { plan, coerced }
    }

    /** The same plan, which records the root fields that fail without a known reason. */
    const recordFailures = (
      plan: OperationPlan,
      failures: Map<string, unknown>,
    ): OperationPlan => ({
      ...plan,
      roots: plan.roots.map(({ selected, run }) => ({
        selected,
        run:
          run &&
          ((context, variables) =>
            run(context, variables).catch((error: unknown) => {
              // Wrong arguments of a link are an error even if no record has the link.
              if (!(error instanceof NotPlannedError || error instanceof ApiError))
                failures.set(selected.as, error)
              throw error
            })),
      })),
    })

    let planned = 0
    let resolved = 0
    let linked = 0
    for (let seed = from; seed <= to; seed++) {
      const random = randomOperation(seed, {
        schema,
        credentialIds: [A, B],
        recordsOfEach: RECORDS_PER_RESOURCE,
      })
      const document = parse(random.query)
      expect(validate(schema, document), random.query).toEqual([])
      const found = planFor(document, random)
      if (!found) continue
      planned += 1
      const resolve = async (part: DocumentNode): Promise<ExecutionResult> =>
        execute({
          schema,
          document: part,
          contextValue: resolverContext(),
          variableValues: random.variables,
        })
      const failures = new Map<string, unknown>()
      let calls = 0
      const result = await runPlan(
        recordFailures(found.plan, failures),
        planContext(),
        found.coerced,
        (rest) => {
          calls += 1
          return resolve(rest)
        },
      )
      resolved += calls
      const expected = await resolve(document)
      const hint = `seed ${seed}: ${random.query} ${JSON.stringify(random.variables)}`
      linked += Number(/ l\d+: /.test(random.query))
      expect(errorsOf(result), hint).toEqual(errorsOf(expected))
      // As text, because the order of fields counts too.
      expect(JSON.stringify(result.data), hint).toBe(JSON.stringify(expected.data))
      // A plan fails only where the resolvers report an error.
      for (const [as, error] of failures)
        expect(
          (expected.errors ?? []).map(({ path }) => path?.[0]),
          `${error instanceof Error ? error.stack : error} ${hint}`,
        ).toContain(as)
    }
    return { planned, resolved, linked, statements: [...planStatements] }
  } finally {
    await service.stop()
  }
}
