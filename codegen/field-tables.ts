import type { Catalogue } from '../src/definition/catalogue.ts'
import type { Connector } from '../src/definition/connector.ts'
import type { Fields } from '../src/definition/field.ts'
import type { NestedRules } from '../src/definition/mapping/rule.ts'
import type { Resource } from '../src/definition/resource.ts'
import { type FieldSource, sourceOf } from './field-sources.ts'
import { replaceSection } from './sections.ts'

// The sandbox has every field, mostly under the unified name.
const LEFT_OUT = 'sandbox'

const MAX_PATHS = 6

// Set by the service, not by a rule of the connector.
const OF_THE_SERVICE: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'remoteFields'])

const formatCode = (text: string): string => `\`${text}\``

/** The paths, or only their first steps if there are many paths. */
const shortenPaths = (paths: readonly string[]): readonly string[] =>
  paths.length <= MAX_PATHS ? paths : [...new Set(paths.map((path) => path.split('.')[0] ?? path))]

const formatCell = (source: FieldSource | undefined): string => {
  if (source === undefined) return '—'
  const paths = shortenPaths(source.paths).map(formatCode)
  const parts = source.readsAccount ? [...paths, 'the account'] : paths
  if (parts.length > 0) return parts.join(', ')
  return source.nested ? 'below' : 'fixed'
}

/** How an app fills the fields of an object: a rule for each, one value for all of them, or none. */
type Column = NestedRules | 'one value' | undefined

const nestedColumn = (source: FieldSource | undefined): Column =>
  source && (source.nested ?? 'one value')

/** The rows of some fields: the name, and a cell for each app. */
const rowsOf = (
  fields: Fields,
  columns: readonly Column[],
  prefix = '',
): readonly (readonly string[])[] =>
  Object.entries(fields).flatMap(([name, { kind }]) => {
    const sources = columns.map((column) =>
      column === 'one value' ? column : column && sourceOf(column[name]),
    )
    const row = sources.map((source) => (source === 'one value' ? '″' : formatCell(source)))
    const inner = kind.shape?.fields
    const parts = sources.map((source) => (source === 'one value' ? source : nestedColumn(source)))
    return [
      [formatCode(prefix + name), ...row],
      ...(inner && parts.some((part) => typeof part === 'object')
        ? rowsOf(inner, parts, `${prefix}${name}.`)
        : []),
    ]
  })

const tableOf = (resource: Resource, apps: readonly Connector[]): string => {
  const columns = apps.flatMap((connector) => {
    const mapping = connector.resources[resource.topic]?.mapping
    // Safe: the rules of a record are rules of fields by name.
    return mapping ? [{ name: connector.name, rules: mapping.rules as NestedRules }] : []
  })
  const fields = Object.fromEntries(
    Object.entries(resource.allFields).filter(([name]) => !OF_THE_SERVICE.has(name)),
  )
  const lines = [
    ['field', ...columns.map(({ name }) => name)],
    ['---', ...columns.map(() => '---')],
    ...rowsOf(
      fields,
      columns.map(({ rules }) => rules),
    ),
  ].map((row) => `| ${row.join(' | ')} |`)
  return `## ${resource.category} ${resource.restPath.split('/').at(-1)}\n\n${lines.join('\n')}`
}

/** The page of the fields with its tables brought up to date. */
export const fieldTablesSource = (
  page: string,
  { resources }: Catalogue,
  connectors: ReadonlyMap<string, Connector>,
): string => {
  const apps = [...connectors.values()].filter(({ app }) => app !== LEFT_OUT)
  return replaceSection(
    page,
    'fields',
    resources.map((resource) => tableOf(resource, apps)).join('\n\n'),
  )
}
