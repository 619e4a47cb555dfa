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

/** What each layer may import beside itself. A file belongs to the layer whose place is the longest that fits. */
const layers: Readonly<Record<string, readonly string[]>> = {
  'src/cli.ts': ['src/main.ts', 'src/commands/', 'src/config.ts'],
  'src/commands/': [
    'src/store/',
    'src/first-start.ts',
    'src/config.ts',
    'src/api-key.ts',
    'src/encryption-key.ts',
  ],
  'src/main.ts': ['src/'],
  'src/process/': ['src/'],
  'src/first-start.ts': ['src/store/', 'src/definition/', 'src/api-key.ts'],
  'src/integrations-file.ts': ['src/api/', 'src/query/', 'src/store/', 'src/errors.ts'],
  'src/port-owner.ts': [],
  'src/api/': [
    'src/delivery/',
    'src/store/',
    'src/query/',
    'src/definition/',
    'src/errors.ts',
    'src/repeater.ts',
    'src/config.ts',
  ],
  'src/connect/': ['src/api/static.ts'],
  // Runs in a browser, as the SDK does.
  'src/connect/window/': ['src/sdk/', 'src/generated/sdk-types.ts'],
  // Siblings: they meet only in the change log.
  'src/sync/': [
    'src/store/',
    'src/outbound/',
    'src/query/',
    'src/definition/',
    'src/errors.ts',
    'src/repeater.ts',
    'src/config.ts',
  ],
  'src/delivery/': [
    'src/store/',
    'src/outbound/',
    'src/query/',
    'src/definition/',
    'src/errors.ts',
    'src/repeater.ts',
    'src/config.ts',
  ],
  'src/workflows/': [
    'src/store/',
    'src/outbound/',
    'src/query/',
    'src/definition/',
    'src/errors.ts',
    'src/repeater.ts',
    'src/config.ts',
  ],
  'src/sandbox/': ['src/store/', 'src/definition/', 'src/errors.ts', 'src/config.ts'],
  'src/store/': [
    'src/query/',
    'src/definition/',
    'src/errors.ts',
    'src/repeater.ts',
    'src/config.ts',
    'src/api-key.ts',
    'src/encryption-key.ts',
  ],
  'src/query/': ['src/definition/', 'src/errors.ts'],
  'src/outbound/': ['src/definition/', 'src/errors.ts', 'src/config.ts'],
  'src/connectors/': ['src/resources/', 'src/definition/'],
  'src/resources/': ['src/definition/'],
  'src/definition/': [],
  'src/errors.ts': [],
  'src/repeater.ts': [],
  'src/config.ts': ['src/api-key.ts', 'src/encryption-key.ts'],
  'src/api-key.ts': [],
  'src/encryption-key.ts': [],
  'src/generated/registry.ts': ['src/connectors/', 'src/resources/', 'src/definition/'],
  'src/generated/': [],
  'src/sdk/': ['src/generated/sdk-types.ts'],
  // Writes what follows from the definitions, the schema's text among it.
  'codegen.ts': ['codegen/', 'src/generated/registry.ts'],
  'codegen/': ['src/api/', 'src/query/', 'src/definition/', 'src/errors.ts'],
}

/** Who alone may import a package, or call `fetch`. */
const doors: readonly {
  readonly what: string
  readonly is: (name: string) => boolean
  readonly of: readonly string[]
}[] = [
  {
    what: 'the database',
    is: (name) => name === 'pg' || name.startsWith('@prisma/'),
    of: ['src/store/'],
  },
  {
    what: 'outgoing HTTP',
    is: (name) => name === 'fetch()' || name === 'undici',
    of: ['src/outbound/', 'src/sdk/'],
  },
  {
    what: 'HTTP and GraphQL servers',
    is: (name) => /^(fastify|graphql|@pothos|@envelop|@graphql-yoga|ws$)/.test(name),
    of: ['src/api/', 'src/connect/', 'codegen/'],
  },
]

/** Where the content is handed to the engines. */
const composers = ['src/main.ts', 'src/process/', 'codegen.ts']

/** Layers that do no I/O. */
const pure = ['src/definition/', 'src/resources/', 'src/connectors/', 'src/query/']
const isIo = (name: string): boolean =>
  name === 'fetch()' || (name.startsWith('node:') && !['node:crypto', 'node:util'].includes(name))

const DRAWERS = /^(utils?|helpers?|commons?|misc)(\.ts)?$/

const layerOf = (path: string): string | undefined =>
  Object.keys(layers)
    .filter((place) => (place.endsWith('/') ? path.startsWith(place) : path === place))
    .sort((a, b) => b.length - a.length)[0]

const isWithin = (path: string, places: readonly string[]): boolean =>
  places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place))

/** The connector, or the API, that a file is part of: siblings do not import each other. */
const siblingOf = (path: string): string | undefined =>
  /^src\/(connectors\/[^/]+|api\/(?:rest|graphql))\//.exec(path)?.[1]

const importViolations = ({ path, imports, packages, fetches }: SourceFile): string[] => {
  const layer = layerOf(path)
  if (layer === undefined) return [`${path} is in no layer`]
  const allowed = layers[layer] ?? []
  const upward = imports
    .filter((target) => layerOf(target) !== layer && !isWithin(target, allowed))
    .map((target) => `${path} may not import ${target}`)
  const sibling = siblingOf(path)
  const sideways = imports
    .filter((target) => sibling && siblingOf(target) && siblingOf(target) !== sibling)
    .map((target) => `${path} may not import its sibling ${target}`)
  const registry = 'src/generated/registry.ts'
  const content = imports
    .filter((target) => target === registry && !isWithin(path, composers))
    .map(() => `${path} may not import the registry: it is handed down`)
  const outside = [...packages, ...(fetches ? ['fetch()'] : [])].flatMap((name) => [
    ...doors
      .filter(({ is, of }) => is(name) && !isWithin(path, of))
      .map(({ what }) => `${path} may not use ${name}: ${what} has one door`),
    ...(isWithin(path, pure) && isIo(name) ? [`${path} may not use ${name}: it does no I/O`] : []),
  ])
  return [...new Set([...upward, ...sideways, ...content, ...outside])]
}

const shapeViolations = ({ path, lines }: SourceFile): string[] => [
  ...(lines > MAX_LINES && !path.startsWith('src/generated/')
    ? [`${path} has ${lines} lines, more than ${MAX_LINES}`]
    : []),
  ...(path.split('/').some((part) => DRAWERS.test(part))
    ? [`${path} is a drawer for anything`]
    : []),
  ...(posix.basename(path) === 'index.ts' && path !== 'src/sdk/index.ts'
    ? [`${path} is a barrel`]
    : []),
]

const violations = (sources: SourceFiles): string[] => {
  const files = Object.entries(sources).map(([path, text]) => readSource(path, text))
  return [
    ...files.flatMap(importViolations),
    ...files.flatMap(shapeViolations),
    ...findCycles(files).map((cycle) => `a cycle: ${cycle}`),
  ]
}

const root = join(import.meta.dirname, '../..')
const sources = (): SourceFiles =>
  Object.fromEntries(
    globSync(['src/**/*.ts', 'codegen/**/*.ts', 'codegen.ts'], { cwd: root }).map((path) => [
      path,
      readFileSync(join(root, path), 'utf8'),
    ]),
  )

test('imports point down only, through one door each, without cycles, in files of a size', () => {
  const found = sources()
  expect(Object.keys(found).length).toBeGreaterThan(150)
  expect(violations(found)).toEqual([])
})

describe('the check finds', () => {
  const lines = (count: number) => '\n'.repeat(count)

  test.each<[string, SourceFiles, readonly string[]]>([
    [
      'nothing in files that keep the rules',
      {
        'src/main.ts':
          "import { createServer } from './api/server.ts'\nimport { catalogue } from './generated/registry.ts'",
        'src/api/server.ts':
          "import { list } from '../store/records.ts'\nimport Fastify from 'fastify'",
        'src/store/records.ts':
          "import pg from 'pg'\nimport type { Order } from '../query/cursor.ts'",
        'src/query/cursor.ts': "import { hash } from 'node:crypto'",
        'src/generated/registry.ts': lines(MAX_LINES + 1),
        'src/outbound/http.ts': "import { Agent } from 'undici'\nawait fetch('x')",
        'src/sync/run.ts': "client.fetch('x'); const text = 'fetch(1)' // fetch(2)",
      },
      [],
    ],
    [
      'an import upwards',
      { 'src/store/a.ts': "import { b } from '../api/b.ts'" },
      ['src/store/a.ts may not import src/api/b.ts'],
    ],
    [
      'an import of a type upwards',
      { 'src/query/a.ts': "import type { B } from '../store/b.ts'" },
      ['src/query/a.ts may not import src/store/b.ts'],
    ],
    [
      'a type that is imported in place',
      { 'src/definition/a.ts': "type A = import('../errors.ts').B" },
      ['src/definition/a.ts may not import src/errors.ts'],
    ],
    [
      'what is exported again from above',
      { 'src/definition/a.ts': "export * from '../query/b.ts'" },
      ['src/definition/a.ts may not import src/query/b.ts'],
    ],
    [
      'a dynamic import upwards',
      { 'src/outbound/a.ts': "await import('../store/b.ts')" },
      ['src/outbound/a.ts may not import src/store/b.ts'],
    ],
    [
      'siblings that meet',
      { 'src/sync/a.ts': "import { b } from '../delivery/b.ts'" },
      ['src/sync/a.ts may not import src/delivery/b.ts'],
    ],
    [
      'a connector that imports another',
      { 'src/connectors/xero/a.ts': "import { b } from '../vendure/b.ts'" },
      ['src/connectors/xero/a.ts may not import its sibling src/connectors/vendure/b.ts'],
    ],
    [
      'REST that imports GraphQL',
      { 'src/api/rest/a.ts': "import { b } from '../graphql/b.ts'" },
      ['src/api/rest/a.ts may not import its sibling src/api/graphql/b.ts'],
    ],
    [
      'an engine that reaches for the registry',
      { 'src/api/a.ts': "import { catalogue } from '../generated/registry.ts'" },
      [
        'src/api/a.ts may not import src/generated/registry.ts',
        'src/api/a.ts may not import the registry: it is handed down',
      ],
    ],
    [
      'an SDK that imports what is not for browsers',
      { 'src/sdk/index.ts': "import type { A } from '../definition/a.ts'" },
      ['src/sdk/index.ts may not import src/definition/a.ts'],
    ],
    [
      'a second door to the database',
      {
        'src/sync/a.ts': "import { Prisma } from '@prisma/client'",
        'src/api/b.ts': "import type pg from 'pg'",
      },
      [
        'src/sync/a.ts may not use @prisma/client: the database has one door',
        'src/api/b.ts may not use pg: the database has one door',
      ],
    ],
    [
      'a second caller of fetch',
      {
        'src/api/a.ts': "await fetch('x')",
        'src/store/b.ts': "globalThis.fetch('x')",
        'src/sync/c.ts': "import { request } from 'undici'",
      },
      [
        'src/api/a.ts may not use fetch(): outgoing HTTP has one door',
        'src/store/b.ts may not use fetch(): outgoing HTTP has one door',
        'src/sync/c.ts may not use undici: outgoing HTTP has one door',
      ],
    ],
    [
      'a definition that does I/O',
      { 'src/definition/a.ts': "import { readFileSync } from 'node:fs'" },
      ['src/definition/a.ts may not use node:fs: it does no I/O'],
    ],
    ['a folder of no layer', { 'src/services/a.ts': '' }, ['src/services/a.ts is in no layer']],
    [
      'a cycle, be it of types',
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
      { 'src/query/a.ts': lines(MAX_LINES + 1), 'src/query/b.ts': lines(MAX_LINES) },
      [`src/query/a.ts has ${MAX_LINES + 1} lines, more than ${MAX_LINES}`],
    ],
    [
      'drawers',
      {
        'src/api/utils.ts': '',
        'src/store/helpers/a.ts': '',
        'src/query/common.ts': '',
        'src/query/index.ts': '',
      },
      [
        'src/api/utils.ts is a drawer for anything',
        'src/store/helpers/a.ts is a drawer for anything',
        'src/query/common.ts is a drawer for anything',
        'src/query/index.ts is a barrel',
      ],
    ],
  ])('%s', (_what, files, expected) => {
    expect(violations(files)).toEqual(expected)
  })
})
