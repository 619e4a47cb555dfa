/** Parses the search language of `query` arguments: terms with AND, OR, NOT, `-` and parentheses. */
import { badRequest } from './errors.ts'

export type Comparator = ':' | '>' | '>=' | '<' | '<='

export interface SearchTerm {
  /** Undefined: the default fields. */
  readonly field: string | undefined
  readonly comparator: Comparator
  readonly value: string
  readonly isQuoted: boolean
}

export type SearchExpression =
  | { readonly kind: 'term'; readonly term: SearchTerm }
  | { readonly kind: 'not'; readonly inner: SearchExpression }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly SearchExpression[] }

type Token =
  | { readonly kind: '(' | ')' | 'AND' | 'OR' | 'NOT' }
  | { readonly kind: 'term'; readonly term: SearchTerm }

const TOKEN =
  /\s{0,20}(?:([()])|(AND|OR|NOT)(?=[\s(]|$)|(-)?(?:([a-z_0-9.]{1,60}):\s{0,5}(>=|<=|>|<)?\s{0,5})?(?:"((?:[^"\\]|\\.){0,500})"|'((?:[^'\\]|\\.){0,500})'|([^\s()"']{1,500})))/y

const withoutEscapes = (text: string): string => text.replaceAll(/\\(.)/g, '$1')

const comparatorOf = (text: string | undefined): Comparator =>
  text === '>' || text === '>=' || text === '<' || text === '<=' ? text : ':'

const readToken = (match: RegExpExecArray): readonly Token[] => {
  const [, bracket, connective, minus, field, comparator, double, single, bare] = match
  if (bracket === '(' || bracket === ')') return [{ kind: bracket }]
  if (connective === 'AND' || connective === 'OR' || connective === 'NOT')
    return [{ kind: connective }]
  const quoted = double ?? single
  const value = withoutEscapes(quoted ?? bare ?? '')
  const isQuoted = quoted !== undefined
  const term = { field, comparator: comparatorOf(comparator), value, isQuoted }
  return [...(minus === undefined ? [] : [{ kind: 'NOT' } as const]), { kind: 'term', term }]
}

const readTokens = (text: string): readonly Token[] => {
  const tokens: Token[] = []
  const end = text.trimEnd().length
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex
    const match = TOKEN.exec(text)
    if (!match) throw badRequest(`The search query is not valid at "${text.slice(at, at + 20)}"`)
    tokens.push(...readToken(match))
  }
  return tokens
}

/** @throws ApiError if the text is not valid */
export const parseSearch = (text: string): SearchExpression => {
  const tokens = readTokens(text)
  let at = 0

  const readOne = (): SearchExpression => {
    const token = tokens[at++]
    if (token?.kind === 'term') return { kind: 'term', term: token.term }
    if (token?.kind === 'NOT') return { kind: 'not', inner: readOne() }
    if (token?.kind !== '(') throw badRequest('The search query ends early')
    const inner = readOr()
    if (tokens[at++]?.kind !== ')') throw badRequest('The search query lacks a )')
    return inner
  }

  /** Terms next to each other are connected by AND. */
  const readAnd = (): SearchExpression => {
    const parts = [readOne()]
    while (at < tokens.length && tokens[at]?.kind !== ')' && tokens[at]?.kind !== 'OR') {
      if (tokens[at]?.kind === 'AND') at++
      parts.push(readOne())
    }
    return { kind: 'and', parts }
  }

  function readOr(): SearchExpression {
    const parts = [readAnd()]
    while (tokens[at]?.kind === 'OR') {
      at++
      parts.push(readAnd())
    }
    return { kind: 'or', parts }
  }

  if (tokens.length === 0) return { kind: 'and', parts: [] }
  const expression = readOr()
  if (at < tokens.length) throw badRequest('The search query has a ) too many')
  return expression
}
