/** The imports and calls of the source files, read from their syntax, including types and dynamic imports. */
import { posix } from 'node:path'
import ts from 'typescript'

/** Source texts by path from the root: `src/api/server.ts`. */
export type SourceFiles = Readonly<Record<string, string>>

export interface SourceFile {
  readonly path: string
  readonly lines: number
  /** Paths of the imported files. */
  readonly imports: readonly string[]
  /** Names of the imported packages: `node:fs`, `@prisma/client`. */
  readonly packages: readonly string[]
  /** Whether it calls the global `fetch`. */
  readonly fetches: boolean
  /** Whether it uses the member `prisma`, the database client. */
  readonly usesClient: boolean
}

const importedName = (node: ts.Node): ts.Expression | ts.TypeNode | undefined => {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
    return node.argument.literal as ts.LiteralExpression
  if (!ts.isCallExpression(node)) return
  const { expression } = node
  const loads =
    expression.kind === ts.SyntaxKind.ImportKeyword ||
    (ts.isIdentifier(expression) && expression.text === 'require')
  return loads ? node.arguments[0] : undefined
}

const isClient = (node: ts.Node): boolean =>
  (ts.isIdentifier(node) && node.text === 'prisma') ||
  (ts.isElementAccessExpression(node) &&
    ts.isStringLiteralLike(node.argumentExpression) &&
    node.argumentExpression.text === 'prisma')

const isGlobalFetch = (node: ts.Node): boolean => {
  if (!ts.isCallExpression(node)) return false
  const { expression } = node
  if (ts.isIdentifier(expression)) return expression.text === 'fetch'
  return (
    ts.isPropertyAccessExpression(expression) &&
    expression.name.text === 'fetch' &&
    ts.isIdentifier(expression.expression) &&
    expression.expression.text === 'globalThis'
  )
}

export const readSource = (path: string, text: string): SourceFile => {
  const imports = new Set<string>()
  const packages = new Set<string>()
  let fetches = false
  let usesClient = false
  const visit = (node: ts.Node): void => {
    const name = importedName(node)
    if (name && ts.isStringLiteralLike(name)) {
      if (name.text.startsWith('.')) imports.add(posix.join(posix.dirname(path), name.text))
      else packages.add(name.text)
    }
    if (isGlobalFetch(node)) fetches = true
    if (isClient(node)) usesClient = true
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest))
  return {
    path,
    lines: text.split('\n').length - 1,
    imports: [...imports],
    packages: [...packages],
    fetches,
    usesClient,
  }
}

/** One import cycle for each group of files that import each other. */
export const findCycles = (files: readonly SourceFile[]): string[] => {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path)
    if (start >= 0) {
      cycles.push([...trail.slice(start), path].join(' → '))
      return
    }
    if (done.has(path)) return
    for (const next of byPath.get(path)?.imports ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const { path } of files) visit(path, [])
  return cycles
}
