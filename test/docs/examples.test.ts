/** Every command, query and definition in the README and in docs/ works as pasted. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openServices, type Services } from '../process/service-process.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { TEST_KEYS } from '../support/vault.ts'
import { type Block, pages, ROOT } from './pages.ts'
import { openShell } from './shell.ts'

/** The languages of blocks that other tests run: the receiver, the page with the modal. */
const OF_OTHER_TESTS = new Set(['js', 'html'])
/** The pages whose commands other tests run, because they need PostgreSQL's own programs. */
const PAGES_OF_OTHER_TESTS = new Set(['docs/backup-and-upgrade.md', 'docs/deployment.md'])

let database: TestDatabase
let services: Services
let variables: { URL: string; KEY: string; USER_ID: string; ID: string; DATABASE_URL: string }

beforeAll(async () => {
  database = await createTestDatabase()
  services = await openServices(database.url)
  const { address } = await services.start('all')
  const { data: users } = await services.call(address, '/2024-03/one/users')
  const { userId } = users[0]
  const { data } = await services.call(address, `/2024-03/users/${userId}/credentials`)
  variables = {
    URL: address,
    KEY: services.key,
    USER_ID: userId,
    ID: data[0].credentialId,
    DATABASE_URL: database.url,
  }
})
afterAll(async () => {
  await services.close()
  await database.drop()
})

/** Runs the commands of a page in one shell, because later ones use variables of earlier ones. */
const runCommands = async (blocks: readonly Block[]): Promise<void> => {
  const shell = openShell({ ...variables, TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS })
  const script = blocks.map(({ place, text }) => `echo; echo '== ${place}'\n${text}`).join('\n')
  const { code, output } = await shell.run(script)
  shell.close()
  expect(code, output).toBe(0)
}

/** Runs the commands after `$ `, and compares what they print; `…` stands for any text. */
const runTranscript = async ({ place, text }: Block): Promise<void> => {
  const [, command = '', expected = ''] = /^\$ (.+)\n([\s\S]*)$/.exec(text) ?? []
  const shell = openShell({ ...variables, TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS })
  const { output } = await shell.run(`${command} || true`)
  shell.close()
  const parts = expected.trim().split('…')
  let at = 0
  for (const part of parts) {
    const found = output.indexOf(part, at)
    expect(found, `${place}: ${output}`).toBeGreaterThanOrEqual(at)
    at = found + part.length
  }
}

const variablesOf = (query: string): Record<string, string> => {
  const replacements: Readonly<Record<string, string>> = {
    user: variables.USER_ID,
    id: variables.ID,
  }
  const names = [...query.matchAll(/\$(\w+): ID!/g)].map(([, name]) => String(name))
  return Object.fromEntries(names.map((name) => [name, replacements[name] ?? '']))
}

const runQuery = async ({ place, text: query }: Block): Promise<unknown> => {
  const isSubscription = query.startsWith('subscription')
  const leaving = new AbortController()
  const response = await fetch(`${variables.URL}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${variables.KEY}`,
      accept: isSubscription ? 'text/event-stream' : 'application/json',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query, variables: variablesOf(query) }),
    signal: leaving.signal,
  })
  expect(response.status, place).toBe(200)
  if (isSubscription) {
    // A rejected subscription is an event with errors; an accepted one begins with a comment.
    const first = await response.body?.getReader().read()
    leaving.abort()
    return expect(new TextDecoder().decode(first?.value), place).toMatch(/^:/)
  }
  const result = await response.json()
  expect(result.errors, place).toBeUndefined()
  return result
}

/** Checks that a value has the keys and types of the documented one. */
const expectShape = (actual: unknown, documented: unknown, place: string): void => {
  if (Array.isArray(documented)) {
    expect(actual, place).toBeInstanceOf(Array)
    for (const entry of Object.values(Object(actual))) expectShape(entry, documented[0], place)
    expect(Object(actual).length, `${place} is empty`).toBeGreaterThan(0)
  } else if (documented !== null && typeof documented === 'object') {
    expect(Object.keys(Object(actual)), place).toEqual(Object.keys(documented))
    for (const [name, value] of Object.entries(documented))
      expectShape(Object(actual)[name], value, `${place}.${name}`)
  } else expect(typeof actual, place).toBe(typeof documented)
}

/** A JSON block is the answer to the query above it, or a list of integrations. */
const runJson = async ({ place, text }: Block, result: unknown): Promise<void> => {
  const documented: unknown = JSON.parse(text)
  if (!Array.isArray(documented)) return expectShape(result, documented, place)
  for (const integration of documented) {
    const sent = await services.send(variables.URL, 'PUT', '/2024-03/integrations', integration)
    expect(sent.status, `${place}: ${sent.text}`).toBe(200)
  }
}

/** A TypeScript block is the content of the file that its first line names. */
const compareWithFile = ({ place, text }: Block): void => {
  const [, path = '', code = ''] = /^\/\/ (\S+)\n([\s\S]*)$/.exec(text) ?? []
  expect(code.trim(), place).toBe(readFileSync(join(ROOT, path), 'utf8').trim())
}

describe.each(pages.map((page) => [page.path, page] as const))('%s', (path, { text, blocks }) => {
  const isRunHere = !PAGES_OF_OTHER_TESTS.has(path)
  const others = blocks.filter(({ language }) => language !== 'sh')
  const commands = blocks.filter(
    ({ language, text: script }) => language === 'sh' && !script.includes('receiver.mjs'),
  )

  if (isRunHere && commands.length > 0)
    test('runs its commands as documented', () => runCommands(commands))

  if (isRunHere && others.length > 0)
    test('has valid examples of requests, responses and files', async () => {
      let result: unknown
      for (const block of others) {
        const { language, place } = block
        if (language === 'graphql') result = await runQuery(block)
        else if (language === 'json') await runJson(block, result)
        else if (language === 'ts') compareWithFile(block)
        else if (language === 'text') {
          if (block.text.startsWith('$ ')) await runTranscript(block)
        } else expect(language === '' || OF_OTHER_TESTS.has(language), place).toBe(true)
      }
    })

  test('has links to existing files', () => {
    for (const [, target = ''] of text.matchAll(/\]\(([^)#\s]*)(?:#[\w-]*)?\)/g)) {
      // Skips links to headings of the same page and links to other hosts.
      if (target === '' || /^https?:/.test(target)) continue
      expect(existsSync(join(ROOT, dirname(path), target)), target).toBe(true)
    }
  })
})
