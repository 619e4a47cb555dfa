import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalogue } from '../src/definition/catalogue.ts'
import type { Connector } from '../src/definition/connector.ts'
import { replaceSection } from './sections.ts'

// The levels, from the highest to the lowest.
const LEVELS = ['live', 'contract', 'documented'] as const
const VERBS = ['list', 'get', 'create', 'update', 'delete', 'changes', 'webhook'] as const

/** What one test shows: a file of test/fidelity, which test/support/fidelity.ts writes and checks. */
interface Report {
  readonly app: string
  readonly level: (typeof LEVELS)[number]
  readonly test: string
  /** Verbs by topic, separated by spaces. */
  readonly verbs: Readonly<Record<string, string>>
}

const readReports = (root: string): readonly Report[] => {
  const folder = join(root, 'test/fidelity')
  return readdirSync(folder)
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
}

/** Whether a connector has a verb of a resource. */
const has = (
  { resources, webhooks }: Connector,
  topic: string,
  verb: (typeof VERBS)[number],
): boolean => {
  const resource = resources[topic]
  if (verb === 'create' || verb === 'update' || verb === 'delete')
    return resource?.write?.[verb] !== undefined
  return resource !== undefined && (verb !== 'webhook' || webhooks?.topics.includes(topic) === true)
}

const hasVerb = ({ verbs }: Report, topic: string, verb: string): boolean =>
  verbs[topic]?.split(' ').includes(verb) === true

const cellOf = (
  connector: Connector,
  reports: readonly Report[],
  topic: string,
  verb: (typeof VERBS)[number],
): string => {
  const showing = reports.filter((report) => hasVerb(report, topic, verb))
  if (!has(connector, topic, verb)) {
    if (showing.length === 0) return '—'
    throw new Error(`${showing[0]?.test} shows ${verb} of ${topic}, which ${connector.app} lacks.`)
  }
  return LEVELS.find((level) => showing.some((report) => report.level === level)) ?? 'untested'
}

const tableOf = (
  connector: Connector,
  { resources }: Catalogue,
  all: readonly Report[],
): string => {
  const reports = all.filter(({ app }) => app === connector.app)
  const rows = resources
    .filter(({ topic }) => connector.resources[topic])
    .map(({ topic, restPath }) => [
      `\`${restPath.slice(1)}\``,
      ...VERBS.map((verb) => cellOf(connector, reports, topic, verb)),
    ])
  const lines = [['resource', ...VERBS], ['---', ...VERBS.map(() => '---')], ...rows]
  const links = reports.map(({ test }) => `[${test}](../${test})`).join(', ')
  return [
    `### ${connector.name}`,
    lines.map((row) => `| ${row.join(' | ')} |`).join('\n'),
    links === '' ? 'No test shows any of this.' : `Shown by ${links}.`,
  ].join('\n\n')
}

/**
 * The page of the apps with its tables brought up to date. @throws Error if a report names what a connector
 * lacks
 */
export const fidelityTablesSource = (
  page: string,
  root: string,
  catalogue: Catalogue,
  connectors: ReadonlyMap<string, Connector>,
): string => {
  const reports = readReports(root)
  const tables = [...connectors.values()]
    // Part of the product: its own tests exercise all of it.
    .filter(({ app }) => app !== 'sandbox')
    .map((connector) => tableOf(connector, catalogue, reports))
  return replaceSection(page, 'fidelity', tables.join('\n\n'))
}
