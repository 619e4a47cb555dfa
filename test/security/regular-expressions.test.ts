/** Every regular expression of the source runs in time that is linear in its input. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSafePattern } from 'redos-detector'
import ts from 'typescript'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
// Backtracks at one position of the input, whatever its length. None of ours needs more than a few.
const MAX_BACKTRACKS = 50

/** Calls that compile a text. `match`, `matchAll` and `search` of a string do so with a text argument. */
const compilesText = (node: ts.Node): boolean => {
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
    const { expression, arguments: [first] = [] } = node
    if (ts.isIdentifier(expression)) return expression.text === 'RegExp'
    return (
      ts.isPropertyAccessExpression(expression) &&
      ['match', 'matchAll', 'search'].includes(expression.name.text) &&
      first !== undefined &&
      (ts.isStringLiteralLike(first) ||
        ts.isTemplateExpression(first) ||
        ts.isBinaryExpression(first))
    )
  }
  return false
}

/** The regular expressions of a file, and the ones built at run time, which cannot be checked. */
const readPatterns = (path: string, text: string) => {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest)
  const patterns: string[] = []
  const built: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) patterns.push(node.text)
    if (compilesText(node)) built.push(node.getText(source))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return { patterns, built }
}

/** Undefined if the pattern backtracks a bounded number of times at each position of its input. */
const problemOf = (literal: string): string | undefined => {
  const end = literal.lastIndexOf('/')
  const flags = literal.slice(end + 1)
  const { safe, error } = isSafePattern(literal.slice(1, end), {
    caseInsensitive: flags.includes('i'),
    dotAll: flags.includes('s'),
    multiLine: flags.includes('m'),
    unicode: flags.includes('u'),
    maxScore: MAX_BACKTRACKS,
    timeout: 60_000,
  })
  return safe ? undefined : `${literal} (${error})`
}

test('no regular expression of the source backtracks more often on longer input', () => {
  const files = globSync('src/**/*.ts', { cwd: ROOT })
  const problems = new Map<string, string | undefined>()
  const found = files.flatMap((path) => {
    const { patterns, built } = readPatterns(path, readFileSync(join(ROOT, path), 'utf8'))
    for (const pattern of patterns)
      if (!problems.has(pattern)) problems.set(pattern, problemOf(pattern))
    return [
      ...built.map((call) => `${path}: write a literal, which is checked, in place of ${call}`),
      ...patterns.flatMap((pattern) => {
        const problem = problems.get(pattern)
        return problem === undefined ? [] : [`${path}: ${problem}`]
      }),
    ]
  })
  expect(found).toEqual([])
  // Proves that the search finds expressions.
  expect(problems.size).toBeGreaterThan(50)
})

test.each([
  ['a search that restarts at each prefix', '/eyJ[\\w-]+\\.[\\w-]+/g'],
  ['a run that is searched at the end', '/\\/+$/'],
  ['two repetitions of the same characters', '/^(?:\\d+\\.?\\d*)x$/'],
  ['a repetition in a repetition', '/^(?:a+)+$/'],
])('%s is found', (_what, literal) => {
  expect(problemOf(literal)).toContain(literal)
})

test.each(["new RegExp('^' + name)", 'RegExp(name)', "text.search('^' + name)"])(
  '%s is found',
  (call) => {
    expect(readPatterns('a.ts', `const found = ${call}`).built).toEqual([call])
  },
)
