/**
 * Reports what a connector test has shown: the verbs of each resource, and how close its app is to the real one. Each
 * such test has a file in test/fidelity; codegen writes the tables of docs/apps.md from them.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { TestService } from './service.ts'

/**
 * `live`: the real program · `contract`: a simulator that checks requests and responses against the vendor's
 * machine-readable contract · `documented`: a simulator that was written from the vendor's documentation.
 */
export type FidelityLevel = 'live' | 'contract' | 'documented'

/** The verbs, in the order of the tables. */
export const fidelityVerbs = [
  'list',
  'get',
  'create',
  'update',
  'delete',
  'changes',
  'webhook',
] as const

/** The report of one test. */
export interface FidelityReport {
  readonly app: string
  readonly level: FidelityLevel
  /** The path of the test. */
  readonly test: string
  /** By topic, verbs separated by spaces: `list get changes`. */
  readonly verbs: Readonly<Record<string, string>>
}

const ROOT = join(import.meta.dirname, '../..')

/** The verbs of syncs and webhooks that the database shows, as `topic verb`. */
const readStoredVerbs = async (
  { database }: TestService,
  credentialIds: readonly string[],
): Promise<readonly string[]> => {
  const rows = await database.prisma.$queryRaw<{ topic: string; verb: string }[]>`
    WITH runs AS (
      SELECT record->>'resource' AS topic,
        (record->>'created')::integer + (record->>'updated')::integer
          + (record->>'deleted')::integer AS changes,
        row_number() OVER (PARTITION BY credential_id, record->>'resource' ORDER BY sequence) AS run
      FROM change_log.changes
      WHERE topic = 'sync/completed' AND credential_id = ANY (${credentialIds}::uuid[]))
    SELECT topic, CASE WHEN run = 1 THEN 'synced' ELSE 'changes' END AS verb FROM runs
      WHERE changes > 0
    UNION SELECT topic, 'webhook' FROM inbound_events
      WHERE processed_at IS NOT NULL AND credential_id = ANY (${credentialIds}::uuid[])`
  return rows.map(({ topic, verb }) => `${topic} ${verb}`)
}

const groupByTopic = (exercised: ReadonlySet<string>): FidelityReport['verbs'] => {
  const topics = [...new Set([...exercised].map((verb) => verb.slice(0, verb.indexOf(' '))))].sort()
  const verbsOf = (topic: string): string =>
    fidelityVerbs
      .filter((verb) => exercised.has(`${topic} ${verb}`))
      // A list shows records of the app only if a sync has stored them.
      .filter((verb) => verb !== 'list' || exercised.has(`${topic} synced`))
      .join(' ')
  return Object.fromEntries(
    topics.map((topic) => [topic, verbsOf(topic)] as const).filter(([, verbs]) => verbs !== ''),
  )
}

const readReport = (path: string): FidelityReport | undefined =>
  existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined

/**
 * Adds a test, to call after the others of the file or group: they have exercised every resource and verb that
 * `test/fidelity/<name of the file>.json` lists. With `UPDATE_FIDELITY=1` it writes that file instead.
 */
export const addFidelityTest = (
  app: string,
  level: FidelityLevel,
  service: () => TestService,
): void => {
  const exercised = new Set<string>()
  // After each test, because a later one may delete the credential.
  afterEach(async () => {
    const { database, exercisedVerbs } = service()
    const credentials = await database.prisma.credential.findMany({ where: { app } })
    const ids = credentials.map(({ id }) => id)
    for (const { credentialId, topic, verb } of exercisedVerbs)
      if (ids.includes(credentialId)) exercised.add(`${topic} ${verb}`)
    for (const verb of await readStoredVerbs(service(), ids)) exercised.add(verb)
  })

  test('exercises what its file in test/fidelity says', () => {
    const file = expect.getState().testPath ?? ''
    const name = basename(file).replace(/\.(test|check)\.ts$/, '')
    const path = join(ROOT, 'test/fidelity', `${name}.json`)
    const report = { app, level, test: relative(ROOT, file), verbs: groupByTopic(exercised) }
    if (process.env.UPDATE_FIDELITY === '1')
      writeFileSync(path, `${JSON.stringify(report, null, 2)}\n`)
    const committed = readReport(path)
    const { verbs = {}, ...source } = committed ?? {}
    expect(source).toEqual({ app, level, test: report.test })
    for (const [topic, names] of Object.entries(verbs))
      expect(report.verbs[topic]?.split(' '), topic).toEqual(
        expect.arrayContaining(names.split(' ')),
      )
  })
}
