/** New connectors: their files, and the recorder of fixtures. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Connector } from '../../src/definition/connector.ts'
import { createAppClient } from '../../src/outbound/http.ts'
import { connectorFiles, writeConnector } from '../../tools/app-kit/new-connector.ts'
import { fixtureText, recordListing } from '../../tools/app-kit/record.ts'
import { connector } from '../../tools/app-kit/template/manifest.ts'
import { createTemplateApp } from '../support/template-app.ts'

const root = mkdtempSync(join(tmpdir(), 'new-connector-'))
afterAll(() => rmSync(root, { recursive: true }))

test('a new connector is a folder of its own that loads', async () => {
  mkdirSync(join(root, 'src'))
  for (const name of ['definition', 'resources'])
    symlinkSync(join(import.meta.dirname, '../../src', name), join(root, 'src', name))
  const files = writeConnector(root, 'harbour-light')
  expect(files.map((path) => path.replace('src/connectors/harbour-light/', '')).sort()).toEqual([
    'NOTES.md',
    'account.ts',
    'listing.ts',
    'manifest.ts',
  ])
  const path = join(root, 'src/connectors/harbour-light/manifest.ts')
  const created: { readonly connector: Connector } = await import(path)
  expect(created.connector).toMatchObject({ app: 'harbour-light', name: 'Harbour Light' })
  expect(Object.keys(created.connector.resources)).toEqual(Object.keys(connector.resources))
})

test('no file of a new connector mentions the template', () => {
  const texts = Object.values(connectorFiles('acme'))
  expect(texts.length).toBeGreaterThan(3)
  for (const text of texts) expect(text).not.toMatch(/template|\.\.\/\.\.\/\.\.\//i)
})

test.each(['Acme', '../acme', 'acme_1', '-acme', ''])('%j is not the name of an app', (name) => {
  expect(() => writeConnector(root, name)).toThrow('lower-case letters')
  expect(existsSync(join(root, 'src/connectors', name, 'manifest.ts'))).toBe(false)
})

test('an existing connector is not overwritten', () => {
  const project = join(import.meta.dirname, '../..')
  const before = readFileSync(join(project, 'src/connectors/gnucash/manifest.ts'), 'utf8')
  expect(() => writeConnector(project, 'gnucash')).toThrow('exists already')
  expect(readFileSync(join(project, 'src/connectors/gnucash/manifest.ts'), 'utf8')).toBe(before)
})

test('a recorded listing has every page with its cursor, and no secret', async () => {
  const app = createTemplateApp(9)
  // An app may repeat what was sent.
  app.put('9', { description: `sent with ${app.token}` })
  const client = createAppClient({
    allowPrivateAddresses: false,
    localApps: new Map([[app.url, app.handle]]),
  })
  const credential = { method: null, values: { url: app.url, token: app.token } }
  const { 'crm/accounts': accounts } = connector.resources
  if (!accounts) throw new Error('The template has no accounts.')
  const pages = await recordListing(accounts, (request) =>
    client.send(connector, credential, request),
  )
  await client.stop()
  const recorded = JSON.parse(fixtureText(pages, [app.token]))
  expect(recorded).toHaveLength(3)
  expect(recorded[0].cursor).toBeNull()
  const read = recorded.flatMap((page: (typeof pages)[number]) =>
    accounts
      .readList({ headers: {}, ...page.response }, { since: undefined, cursor: page.cursor })
      .records.map((record) => Object(record).id),
  )
  expect(read).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9'])
  expect(JSON.stringify(recorded)).not.toContain(app.token)
  expect(JSON.stringify(recorded)).toContain('[redacted]')
})
