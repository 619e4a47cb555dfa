import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errorCodes } from '../../src/errors.ts'
import { readConfig } from '../../src/process/config.ts'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

test('the README lists every error code with its status and meaning, and no other code', () => {
  const rows = Object.entries(errorCodes).map(
    ([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`,
  )
  const listed = readme.split('\n').filter((line) => /^\| `[A-Z_]+` \| \d{3} \|/.test(line))
  expect(listed).toEqual(rows)
})

test('the README lists every environment variable of the service', () => {
  const read = new Set<string>()
  readConfig(
    new Proxy(
      {},
      {
        get: (_target, name) => void read.add(String(name)),
        has: () => true,
        ownKeys: () => [],
      },
    ),
  )
  const table = readme.slice(readme.indexOf('## Configure'), readme.indexOf('## Errors'))
  const listed = new Set([...table.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name))
  expect(read.size).toBeGreaterThan(8)
  for (const name of read) expect(listed, name).toContain(name)
})
