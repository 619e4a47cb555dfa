/** Runs random operations by their plans and by the resolvers, and compares data, order and errors. */
import { type DocumentNode, execute, getOperationAST, parse, validate } from 'graphql'
import { expect } from 'vitest'
import type { ApiContext } from '../../src/api/context.ts'
import type { GraphContext } from '../../src/api/graphql/builder.ts'
import { createLoaders } from '../../src/api/graphql/loaders.ts'
import { createPlans } from '../../src/api/graphql/plan/plans.ts'
import { buildSchema } from '../../src/api/graphql/schema.ts'
import { coerceVariables } from '../../src/api/graphql/variables.ts'
import type { RecordRow } from '../../src/definition/mapping.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import type { Database } from '../../src/store/database/database.ts'
import { type RandomOperation, randomOperation } from './random-operations.ts'
import { sampleRecord } from './sample.ts'
import { startService } from './service.ts'

const A = 'aaaaaaaa-0000-4000-8000-000000000001'
const B = 'bbbbbbbb-0000-4000-8000-000000000002'
const RECORDS_OF_EACH = 4

/** JSON that contains what separates the members of a record. */
const MISLEADING = {
  createdAt: 'x',
  'a,"remoteDeleted":false,': ['}', '{"id":1}', '\\', '\\"', '"', ',"createdAt":'],
  addresses: [{ street1: null, '\\': { '"': 1.5 } }, [], {}],
  big: 1e21,
  text: 'é\u2028𝄞\u0007\t\n',
}

const TEXTS = ['\\', '"', '\\"', ',"createdAt":"', '{[', ']}', 'é𝄞\u2028', '', 'null']

/** A sample whose texts and JSON look like the JSON around them. */
const misleadingRecord = (credentialId: string, resource: Resource, n: number): RecordRow => {
  const sample = sampleRecord(credentialId, resource, n)
  const texts = Object.entries(resource.allFields)
    .filter(([name, { kind }]) => kind.name === 'text' && name !== 'remoteId')
    .map(([name], index) => [name, TEXTS[(index + n) % TEXTS.length]])
  return n % 2 === 0
    ? { ...sample, remoteFields: MISLEADING }
    : { ...sample, ...Object.fromEntries(texts), remoteFields: MISLEADING }
}

/** The same database, which runs each statement once: the records do not change during the test. */
const readOnce = (database: Database, seen: Set<string>): Database => {
  const results = new Map<string, Promise<unknown>>()
  const prisma = {
    $queryRaw: (statement: { readonly sql: string; readonly values: readonly unknown[] }) => {
      seen.add(statement.sql)
      const key = JSON.stringify([statement.sql, statement.values])
      const result = results.get(key) ?? database.prisma.$queryRaw(statement as never)
      results.set(key, Promise.resolve(result))
      return result
    },
  }
  return { ...database, prisma: prisma as unknown as Database['prisma'] }
}

/** The outcome of comparing operations. */
export interface Comparison {
  readonly planned: number
  readonly failed: number
  /** The distinct statements of the plans. */
  readonly statements: readonly string[]
}

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
          Array.from({ length: RECORDS_OF_EACH }, (_, n) =>
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
    const ofPlans = new Set<string>()
    const contextOf = (statements: Set<string>) => {
      const database = readOnce(service.database, statements)
      // The parts of the context that read records.
      const api = { database, access: service.access, catalogue } as unknown as ApiContext
      return (): GraphContext =>
        ({ ...api, caller: { kind: 'key', ...owner }, loaders: createLoaders(api) }) as GraphContext
    }
    const planContext = contextOf(ofPlans)
    const resolverContext = contextOf(new Set())

    const runPlan = async (document: DocumentNode, { variables }: RandomOperation) => {
      const operation = getOperationAST(document)
      if (!operation) throw new TypeError('The document has no operation.')
      const { coerced } = coerceVariables(schema, operation, variables)
      const run = coerced && planOf({ schema, document }, operation, coerced)
      if (!run) return undefined
      return run(planContext(), coerced).then(
        (text) => ({ text }),
        (error: unknown) => ({ error: error instanceof Error ? error.stack : error }),
      )
    }

    let planned = 0
    let failed = 0
    for (let seed = from; seed <= to; seed++) {
      const random = randomOperation(seed, {
        schema,
        credentialIds: [A, B],
        recordsOfEach: RECORDS_OF_EACH,
      })
      const document = parse(random.query)
      expect(validate(schema, document), random.query).toEqual([])
      const result = await runPlan(document, random)
      if (result === undefined) continue
      const expected = await execute({
        schema,
        document,
        contextValue: resolverContext(),
        variableValues: random.variables,
      })
      const shown = `seed ${seed}: ${random.query} ${JSON.stringify(random.variables)}`
      planned += 1
      if ('error' in result) {
        failed += 1
        // The resolvers repeat the operation, and report this error with its path.
        expect(expected.errors ?? [], `${shown} ${result.error}`).not.toEqual([])
        continue
      }
      expect(expected.errors, shown).toBeUndefined()
      // As text, because the order of fields counts too.
      if (JSON.stringify(JSON.parse(result.text)) !== JSON.stringify(expected.data))
        expect(JSON.parse(result.text), shown).toEqual(expected.data)
      expect(JSON.stringify(JSON.parse(result.text)), shown).toBe(JSON.stringify(expected.data))
    }
    return { planned, failed, statements: [...ofPlans] }
  } finally {
    await service.stop()
  }
}
