/** The layers of the design: imports point down only, types included. */
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  findCycles,
  readSource,
  type SourceFile,
  type SourceFiles,
} from '../support/source-graph.ts'

const MAX_LINES = 300

/** What every layer may import: no I/O, and no state but the tracer of the process. */
const everywhere = ['src/log.ts', 'src/memoize.ts', 'src/tracing.ts']

/** The dependencies of the engines. */
const below = [
  'src/store/',
  'src/outbound/',
  'src/query/',
  'src/definition/',
  'src/errors.ts',
  'src/repeater.ts',
]

/** The dependencies of the whole store. */
const onlyLeaves = ['src/query/', 'src/definition/', 'src/errors.ts', 'src/repeater.ts']

/**
 * What each layer may import in addition to itself. A file belongs to the layer with the longest matching path.
 */
const layers: Readonly<Record<string, readonly string[]>> = {
  'src/cli.ts': [
    'src/main.ts',
    'src/commands/',
    'src/process/config.ts',
    'src/process/progress.ts',
    'src/process/role.ts',
    'src/package-json.ts',
  ],
  'src/commands/': [
    'src/store/',
    'src/process/config.ts',
    'src/process/first-start.ts',
    'src/process/oauth-apps.ts',
  ],
  'src/main.ts': ['src/'],
  'src/process/': ['src/'],
  'src/api/': [
    'src/api/http/',
    'src/api/auth/',
    'src/delivery/',
    'src/store/',
    'src/query/',
    'src/definition/',
    'src/errors.ts',
    'src/repeater.ts',
    'src/byte-budget.ts',
    'src/package-json.ts',
  ],
  'src/api/auth/': [
    'src/api/http/',
    'src/store/accounts/',
    'src/store/secrets/',
    'src/store/database/',
    'src/errors.ts',
  ],
  'src/api/http/': [
    'src/generated/guide.ts',
    'src/store/accounts/',
    'src/store/database/',
    'src/definition/',
    'src/errors.ts',
    'src/repeater.ts',
    'src/byte-budget.ts',
    'src/package-json.ts',
  ],
  'src/connect/': ['src/api/http/static.ts'],
  // Runs in a browser, as the SDK does.
  'src/connect/window/': ['src/sdk/', 'src/generated/sdk-types.ts'],
  // Siblings communicate only through the change log. The sync reads single records and the context of an
  // account with a connector's steps, as writes do.
  'src/sync/': [...below, 'src/write/account-context.ts', 'src/write/run-steps.ts'],
  'src/write/': below,
  'src/authorization/': below,
  'src/delivery/': below,
  // Runs a connector's steps as writes do, and maps records as syncs do.
  'src/inbound/': [
    ...below,
    'src/sync/map-pages.ts',
    'src/sync/read-records.ts',
    'src/sync/storage-limits.ts',
    'src/write/account-context.ts',
    'src/write/run-steps.ts',
  ],
  'src/workflows/': below,
  'src/tokens/': below,
  // The sandbox app has every resource, with fields that follow from its definition.
  'src/sandbox/': [
    'src/store/',
    'src/definition/',
    'src/generated/catalogue.ts',
    'src/resources/',
    'src/errors.ts',
    'src/repeater.ts',
  ],
  // The folders of the store, from the connection up: a folder imports only those listed before it.
  'src/store/database/': [...onlyLeaves, 'src/package-json.ts'],
  'src/store/secrets/': [...onlyLeaves, 'src/store/database/'],
  'src/store/changes/': [...onlyLeaves, 'src/store/database/'],
  'src/store/records/': [...onlyLeaves, 'src/store/database/', 'src/store/changes/'],
  'src/store/budgets/': [...onlyLeaves, 'src/store/database/'],
  'src/store/writes/': [...onlyLeaves, 'src/store/database/', 'src/store/secrets/'],
  'src/store/sandbox/': [...onlyLeaves, 'src/store/database/'],
  'src/store/sync/': [
    ...onlyLeaves,
    'src/store/database/',
    'src/store/changes/',
    'src/store/records/',
  ],
  'src/store/inbound/': [...onlyLeaves, 'src/store/database/'],
  'src/store/accounts/': [
    ...onlyLeaves,
    'src/store/database/',
    'src/store/secrets/',
    'src/store/changes/',
    'src/store/sync/',
    'src/store/inbound/',
  ],
  'src/store/webhooks/': [
    ...onlyLeaves,
    'src/store/database/',
    'src/store/secrets/',
    'src/store/changes/',
  ],
  'src/store/workflows/': [
    ...onlyLeaves,
    'src/store/database/',
    'src/store/secrets/',
    'src/store/changes/',
    'src/store/accounts/',
  ],
  'src/query/': ['src/definition/', 'src/errors.ts'],
  'src/outbound/': ['src/definition/', 'src/errors.ts', 'src/byte-budget.ts'],
  'src/connectors/': ['src/resources/', 'src/definition/'],
  // The sandbox covers every resource: a resource without a mapping gets a derived one.
  'src/connectors/sandbox/': ['src/resources/', 'src/definition/', 'src/generated/catalogue.ts'],
  'src/resources/': ['src/definition/'],
  'src/definition/': [],
  'src/errors.ts': [],
  'src/log.ts': [],
  'src/memoize.ts': [],
  'src/tracing.ts': [],
  'src/repeater.ts': [],
  'src/byte-budget.ts': [],
  'src/package-json.ts': [],
  'src/generated/catalogue.ts': ['src/resources/', 'src/definition/'],
  'src/generated/registry.ts': [
    'src/connectors/',
    'src/generated/catalogue.ts',
    'src/resources/',
    'src/definition/',
  ],
  'src/generated/': [],
  'src/sdk/': ['src/generated/sdk-types.ts'],
  // Generates files from the definitions, including the GraphQL schema, and from the connectors.
  'codegen.ts': ['codegen/', 'src/generated/catalogue.ts', 'src/generated/registry.ts'],
  'codegen/': ['src/api/', 'src/query/', 'src/definition/', 'src/errors.ts'],
}

/** Packages, `fetch` and the database client, with the only folders that may import, call or use them. */
const restrictions: readonly {
  readonly what: string
  readonly matches: (name: string) => boolean
  readonly importers: readonly string[]
}[] = [
  {
    what: 'the database',
    matches: (name) => name === 'pg' || name === '.prisma' || name.startsWith('@prisma/'),
    importers: ['src/store/'],
  },
  {
    what: 'outgoing HTTP',
    matches: (name) => name === 'fetch()' || name === 'undici',
    importers: ['src/outbound/', 'src/sdk/'],
  },
  {
    what: 'OpenTelemetry',
    matches: (name) => name.startsWith('@opentelemetry/'),
    importers: ['src/process/tracing.ts'],
  },
  {
    what: 'HTTP and GraphQL servers',
    matches: (name) => /^(fastify|graphql|@pothos|@envelop|@graphql-yoga|ws$)/.test(name),
    importers: ['src/api/', 'src/connect/', 'codegen/'],
  },
]

/** Files that pass the registry to the engines, or to the generators. */
const registryUsers = ['src/main.ts', 'src/process/', 'codegen.ts']

/** Layers that do no I/O. */
const pure = ['src/definition/', 'src/resources/', 'src/connectors/', 'src/query/']
const isIo = (name: string): boolean =>
  name === 'fetch()' || (name.startsWith('node:') && !['node:crypto', 'node:util'].includes(name))

const CATCH_ALLS = /^(utils?|helpers?|commons?|misc)(\.ts)?$/

const layerOf = (path: string): string | undefined =>
  Object.keys(layers)
    .filter((place) => (place.endsWith('/') ? path.startsWith(place) : path === place))
    .sort((a, b) => b.length - a.length)[0]

const isWithin = (path: string, places: readonly string[]): boolean =>
  places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place))

/** The connector or the API that a file belongs to: siblings do not import each other. */
const siblingOf = (path: string): string | undefined =>
  /^src\/(connectors\/[^/]+|api\/(?:rest|graphql))\//.exec(path)?.[1]

const importViolations = ({
  path,
  imports,
  packages,
  fetches,
  usesClient,
}: SourceFile): string[] => {
  const layer = layerOf(path)
  if (layer === undefined) return [`${path} is in no layer`]
  const allowed = [...everywhere, ...(layers[layer] ?? [])]
  const upward = imports
    .filter((target) => layerOf(target) !== layer && !isWithin(target, allowed))
    .map((target) => `${path} may not import ${target}`)
  const sibling = siblingOf(path)
  const sideways = imports
    .filter((target) => sibling && siblingOf(target) && siblingOf(target) !== sibling)
    .map((target) => `${path} may not import its sibling ${target}`)
  const registry = 'src/generated/registry.ts'
  const registryUse = imports
    .filter((target) => target === registry && !isWithin(path, registryUsers))
    .map(() => `${path} may not import the registry: pass it as an argument`)
  const used = [...packages, ...(fetches ? ['fetch()'] : []), ...(usesClient ? ['.prisma'] : [])]
  const outside = used.flatMap((name) => [
    ...restrictions
      .filter(({ matches, importers }) => matches(name) && !isWithin(path, importers))
      .map(
        ({ what, importers }) =>
          `${path} may not use ${name}: only ${importers.join(', ')} may use ${what}`,
      ),
    ...(isWithin(path, pure) && isIo(name) ? [`${path} may not use ${name}: it does no I/O`] : []),
  ])
  return [...new Set([...upward, ...sideways, ...registryUse, ...outside])]
}

const listShapeViolations = ({ path, lines }: SourceFile): string[] => [
  ...(lines > MAX_LINES && !path.startsWith('src/generated/')
    ? [`${path} has ${lines} lines, more than ${MAX_LINES}`]
    : []),
  ...(path.split('/').some((part) => CATCH_ALLS.test(part))
    ? [`${path} is a catch-all: name it after its content`]
    : []),
  ...(posix.basename(path) === 'index.ts' && path !== 'src/sdk/index.ts'
    ? [`${path} is a barrel`]
    : []),
]

const listViolations = (sources: SourceFiles): string[] => {
  const files = Object.entries(sources).map(([path, text]) => readSource(path, text))
  return [
    ...files.flatMap(importViolations),
    ...files.flatMap(listShapeViolations),
    ...findCycles(files).map((cycle) => `a cycle: ${cycle}`),
  ]
}

const root = join(import.meta.dirname, '../..')
const readSources = (): SourceFiles =>
  Object.fromEntries(
    globSync(['src/**/*.ts', 'codegen/**/*.ts', 'codegen.ts'], { cwd: root }).map((path) => [
      path,
      readFileSync(join(root, path), 'utf8'),
    ]),
  )

test('imports point down only, restricted packages have one importer, and there are no cycles or oversized files', () => {
  const found = readSources()
  expect(Object.keys(found).length).toBeGreaterThan(150)
  expect(listViolations(found)).toEqual([])
})

describe('the check finds', () => {
  const emptyLines = (count: number) => '\n'.repeat(count)

  test.each<[string, SourceFiles, readonly string[]]>([
    [
      'no violation in valid files',
      {
        'src/main.ts':
          "import { createServer } from './api/server.ts'\nimport { catalogue } from './generated/registry.ts'",
        'src/api/server.ts':
          "import { list } from '../store/records/records.ts'\nimport Fastify from 'fastify'",
        'src/store/records/records.ts':
          "import pg from 'pg'\nimport type { Order } from '../../query/cursor.ts'",
        'src/query/cursor.ts': "import { hash } from 'node:crypto'",
        'src/generated/registry.ts': emptyLines(MAX_LINES + 1),
        'src/outbound/http.ts': "import { Agent } from 'undici'\nawait fetch('x')",
        'src/sync/run.ts': "client.fetch('x'); const text = 'fetch(1)' // fetch(2)",
      },
      [],
    ],
    [
      'an import upwards',
      { 'src/store/records/a.ts': "import { b } from '../../api/b.ts'" },
      ['src/store/records/a.ts may not import src/api/b.ts'],
    ],
    [
      'an import of a type upwards',
      { 'src/query/a.ts': "import type { B } from '../store/records/b.ts'" },
      ['src/query/a.ts may not import src/store/records/b.ts'],
    ],
    [
      'an inline type import upwards',
      { 'src/definition/a.ts': "type A = import('../errors.ts').B" },
      ['src/definition/a.ts may not import src/errors.ts'],
    ],
    [
      'a re-export from above',
      { 'src/definition/a.ts': "export * from '../query/b.ts'" },
      ['src/definition/a.ts may not import src/query/b.ts'],
    ],
    [
      'a dynamic import upwards',
      { 'src/outbound/a.ts': "await import('../store/records/b.ts')" },
      ['src/outbound/a.ts may not import src/store/records/b.ts'],
    ],
    [
      'an import between siblings',
      { 'src/sync/a.ts': "import { b } from '../delivery/b.ts'" },
      ['src/sync/a.ts may not import src/delivery/b.ts'],
    ],
    [
      'a connector that imports another connector',
      { 'src/connectors/xero/a.ts': "import { b } from '../vendure/b.ts'" },
      ['src/connectors/xero/a.ts may not import its sibling src/connectors/vendure/b.ts'],
    ],
    [
      'REST that imports GraphQL',
      { 'src/api/rest/a.ts': "import { b } from '../graphql/b.ts'" },
      ['src/api/rest/a.ts may not import its sibling src/api/graphql/b.ts'],
    ],
    [
      'an engine that imports the registry',
      { 'src/api/a.ts': "import { catalogue } from '../generated/registry.ts'" },
      [
        'src/api/a.ts may not import src/generated/registry.ts',
        'src/api/a.ts may not import the registry: pass it as an argument',
      ],
    ],
    [
      'an SDK that imports server code',
      { 'src/sdk/index.ts': "import type { A } from '../definition/a.ts'" },
      ['src/sdk/index.ts may not import src/definition/a.ts'],
    ],
    [
      'a second importer of the database',
      {
        'src/sync/a.ts': "import { Prisma } from '@prisma/client'",
        'src/api/b.ts': "import type pg from 'pg'",
      },
      [
        'src/sync/a.ts may not use @prisma/client: only src/store/ may use the database',
        'src/api/b.ts may not use pg: only src/store/ may use the database',
      ],
    ],
    [
      'a use of the database client outside the store',
      {
        'src/api/a.ts': 'await context.database.prisma.credential.count()',
        'src/sync/b.ts': 'const read = ({ prisma }: Database) => endOfLog(prisma)',
        'src/write/c.ts': 'const { prisma: client } = database',
        'src/process/d.ts': "database['prisma']",
        'src/store/records/e.ts': 'database.prisma // the store itself',
        'src/delivery/f.ts': "endOfLog(database) // not database.prisma, nor 'prisma'",
      },
      ['src/api/a.ts', 'src/sync/b.ts', 'src/write/c.ts', 'src/process/d.ts'].map(
        (path) => `${path} may not use .prisma: only src/store/ may use the database`,
      ),
    ],
    [
      'a second caller of fetch',
      {
        'src/api/a.ts': "await fetch('x')",
        'src/store/records/b.ts': "globalThis.fetch('x')",
        'src/sync/c.ts': "import { request } from 'undici'",
      },
      [
        'src/api/a.ts may not use fetch(): only src/outbound/, src/sdk/ may use outgoing HTTP',
        'src/store/records/b.ts may not use fetch(): only src/outbound/, src/sdk/ may use outgoing HTTP',
        'src/sync/c.ts may not use undici: only src/outbound/, src/sdk/ may use outgoing HTTP',
      ],
    ],
    [
      'a definition that does I/O',
      { 'src/definition/a.ts': "import { readFileSync } from 'node:fs'" },
      ['src/definition/a.ts may not use node:fs: it does no I/O'],
    ],
    ['a folder without a layer', { 'src/services/a.ts': '' }, ['src/services/a.ts is in no layer']],
    [
      'a cycle, even of types',
      {
        'src/query/a.ts': "import { b } from './b.ts'",
        'src/query/b.ts': "import type { C } from './c.ts'",
        'src/query/c.ts': "import { a } from './a.ts'",
      },
      ['a cycle: src/query/a.ts → src/query/b.ts → src/query/c.ts → src/query/a.ts'],
    ],
    [
      'a file that imports itself',
      { 'src/query/a.ts': "export { b } from './a.ts'" },
      ['a cycle: src/query/a.ts → src/query/a.ts'],
    ],
    [
      'a file of 301 lines',
      { 'src/query/a.ts': emptyLines(MAX_LINES + 1), 'src/query/b.ts': emptyLines(MAX_LINES) },
      [`src/query/a.ts has ${MAX_LINES + 1} lines, more than ${MAX_LINES}`],
    ],
    [
      'catch-all names and barrels',
      {
        'src/api/utils.ts': '',
        'src/store/records/helpers/a.ts': '',
        'src/query/common.ts': '',
        'src/query/index.ts': '',
      },
      [
        'src/api/utils.ts is a catch-all: name it after its content',
        'src/store/records/helpers/a.ts is a catch-all: name it after its content',
        'src/query/common.ts is a catch-all: name it after its content',
        'src/query/index.ts is a barrel',
      ],
    ],
  ])('%s', (_what, files, expected) => {
    expect(listViolations(files)).toEqual(expected)
  })
})
