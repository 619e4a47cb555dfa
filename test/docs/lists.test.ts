/** The lists in docs/ are complete: error codes, environment variables, topics, and the README's size. */
import { expect, test } from 'vitest'
import { eventTopics } from '../../src/definition/change.ts'
import { errorCodes, userErrorCodes } from '../../src/errors.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { readConfig } from '../../src/process/config.ts'
import { pageAt, pages } from './pages.ts'

const placeOf = (code: string): string => {
  if (code === 'INVALID_PARAMETER') return '`userErrors` for fields of `input`, otherwise `errors`'
  return userErrorCodes.some((topic) => topic === code) ? '`userErrors`' : '`errors`'
}

test('the page of errors lists every code with its status, place in GraphQL and meaning, and no other code', () => {
  const rows = Object.entries(errorCodes).map(
    ([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${placeOf(code)} | ${meaning} |`,
  )
  const listed = pageAt('docs/errors.md')
    .text.split('\n')
    .filter((line) => /^\| `[A-Z_]+` \| \d{3} \|/.test(line))
  expect(listed).toEqual(rows)
})

test('the page of the configuration lists every environment variable of the service', () => {
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
  const listed = new Set(
    [...pageAt('docs/configuration.md').text.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name),
  )
  expect(read.size).toBeGreaterThan(8)
  for (const name of read) expect(listed, name).toContain(name)
})

test('the page of webhooks lists every event topic, and names only existing topics', () => {
  const { text } = pageAt('docs/webhooks.md')
  for (const topic of eventTopics) expect(text).toContain(`| \`${topic}\` |`)
  const topics = [...catalogue.resources.map(({ topic }) => topic), ...eventTopics, 'webhook/test']
  const named = /["`]((?:accounting|crm|commerce|connection|sync|webhook)\/\w+)["`]/g
  for (const path of [
    'README.md',
    'docs/webhooks.md',
    'docs/subscriptions.md',
    'docs/workflows.md',
  ])
    for (const [, topic] of pageAt(path).text.matchAll(named)) expect(topics, path).toContain(topic)
})

test('the README is at most 200 lines and links every page of docs/', () => {
  const { text } = pageAt('README.md')
  expect(text.split('\n').length).toBeLessThanOrEqual(200)
  for (const { path } of pages.filter((page) => page.path.startsWith('docs/')))
    expect(text).toContain(`](${path})`)
})
