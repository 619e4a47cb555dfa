/** The host's clock may be read in few places: stored times, and times compared with them, are the database's. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** Files that need the host's time, with the reason. */
const allowed: Readonly<Record<string, string>> = {
  'src/process/example-tenants.ts': 'runs before the embedded database, which has the same clock',
  'src/store/database/clock.ts': "compares it with the database's",
  'src/store/database/embedded/data-directory-lock.ts':
    'names it to people, before there is a database',
}

const isNow = ({ text }: ts.Identifier | ts.PrivateIdentifier): boolean => text === 'now'
const isDate = (node: ts.Node): boolean =>
  (ts.isIdentifier(node) && node.text === 'Date') ||
  (ts.isPropertyAccessExpression(node) && node.name.text === 'Date')

/** `Date.now`, called or passed on; `new Date()`; `Date()`. */
const readsHostClock = (node: ts.Node): boolean => {
  if (ts.isPropertyAccessExpression(node)) return isDate(node.expression) && isNow(node.name)
  if (ts.isNewExpression(node)) return isDate(node.expression) && !node.arguments?.length
  return ts.isCallExpression(node) && isDate(node.expression)
}

const findReads = (text: string): string[] => {
  const found: string[] = []
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true)
  const visit = (node: ts.Node): void => {
    if (readsHostClock(node)) found.push(node.getText(source))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

test('the check finds every way to read the clock of the host', () => {
  expect(findReads('const now = Date.now')).toEqual(['Date.now'])
  expect(findReads('f(Date.now(), globalThis.Date.now())')).toHaveLength(2)
  expect(findReads('new Date(); new Date; Date()')).toHaveLength(3)
  expect(findReads('new Date(0); Date.parse(text); performance.now(); clock.now()')).toEqual([])
})

test("no source file reads the clock of the host: use the store's clock, SQL or performance.now()", () => {
  const paths = globSync('src/**/*.ts', { cwd: ROOT })
  expect(paths.length).toBeGreaterThan(200)
  const allowedFiles = paths.filter(
    (path) => findReads(readFileSync(join(ROOT, path), 'utf8')).length,
  )
  expect(allowedFiles.sort()).toEqual(Object.keys(allowed).sort())
})

test("no time of a table is set by Prisma's client, which has only the clock of its host", () => {
  const schema = readFileSync(join(ROOT, 'prisma/schema.prisma'), 'utf8')
  const fields = schema.split('\n').filter((line) => !line.trimStart().startsWith('//'))
  expect(fields.filter((line) => /@default\(now\(\)\)|@updatedAt/.test(line))).toEqual([])
})
