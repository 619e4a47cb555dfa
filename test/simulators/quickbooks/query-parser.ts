/**
 * Parses the query language: `SELECT * | COUNT(*) FROM Entity [WHERE …] [ORDERBY …] [STARTPOSITION n]
 * [MAXRESULTS n]`. Keywords are of any case, names are case-sensitive; there is neither OR nor a projection.
 */
import { queryFault } from './faults.ts'

export type Operator = '=' | '<' | '>' | '<=' | '>=' | 'IN' | 'LIKE'

export interface Condition {
  readonly property: string
  readonly operator: Operator
  /** As text, without quotes; one value unless the operator is IN. */
  readonly values: readonly string[]
}

export interface Query {
  readonly counts: boolean
  readonly entity: string
  readonly conditions: readonly Condition[]
  readonly order: readonly { readonly property: string; readonly descending: boolean }[]
  /** From 1. */
  readonly startPosition: number | undefined
  readonly maxResults: number | undefined
}

interface Token {
  readonly kind: 'word' | 'string' | 'symbol' | 'unknown' | 'end'
  readonly text: string
  readonly column: number
}

const TOKEN =
  /\s{0,999}(?:'((?:[^'\\]|\\.){0,4000})'|(<=|>=|!=|<>|[=<>(),*%])|([\w.:+-]{1,200})|(\S))/gy

const tokenize = (text: string): readonly Token[] => {
  const tokens = [...text.matchAll(TOKEN)].map((match): Token => {
    const [, string, symbol, word, other] = match
    const column = match.index + 1
    if (other !== undefined) return { kind: 'unknown', text: other, column }
    if (string !== undefined)
      return { kind: 'string', text: string.replace(/\\(.)/g, '$1'), column }
    return symbol === undefined
      ? { kind: 'word', text: word ?? '', column }
      : { kind: 'symbol', text: symbol, column }
  })
  return [...tokens, { kind: 'end', text: '<EOF>', column: text.length + 1 }]
}

const OPERATORS: readonly Operator[] = ['=', '<', '>', '<=', '>=', 'IN', 'LIKE']
const isOperator = (text: string): text is Operator => OPERATORS.some((known) => known === text)

const createReader = (text: string) => {
  const tokens = tokenize(text)
  let at = 0
  const current = (): Token => tokens[at] ?? { kind: 'end', text: '<EOF>', column: text.length }
  const fail = (expected: string): never => {
    const { kind, text: found, column } = current()
    if (kind === 'unknown')
      throw queryFault('parse', `Invalid content. Lexical error at line 1, column ${column}.`)
    throw queryFault(
      'parse',
      `Encountered "${found}" at line 1, column ${column}. Was expecting: ${expected}`,
    )
  }
  const isNext = (word: string): boolean =>
    current().kind !== 'string' && current().text.toUpperCase() === word
  const skip = (word: string): boolean => {
    if (!isNext(word)) return false
    at++
    return true
  }
  const take = (kinds: readonly Token['kind'][], expected: string): string => {
    if (!kinds.includes(current().kind)) fail(expected)
    const { text: taken } = current()
    at++
    return taken
  }
  const expect = (word: string): void => {
    if (!skip(word)) fail(word)
  }
  return { fail, isNext, skip, take, expect }
}

type Reader = ReturnType<typeof createReader>

const readValue = ({ take }: Reader): string => take(['string', 'word'], 'a value')

const readOperator = ({ take }: Reader): Operator => {
  const text = take(['symbol', 'word'], 'an operator').toUpperCase()
  if (isOperator(text)) return text
  throw queryFault('parse', `Encountered "${text}". Was expecting one of: ${OPERATORS.join(' ')}`)
}

const readCondition = (reader: Reader): Condition => {
  const property = reader.take(['word'], 'a property')
  const operator = readOperator(reader)
  if (operator !== 'IN') return { property, operator, values: [readValue(reader)] }
  reader.expect('(')
  const values = [readValue(reader)]
  while (reader.skip(',')) values.push(readValue(reader))
  reader.expect(')')
  return { property, operator, values }
}

const readConditions = (reader: Reader): readonly Condition[] => {
  const conditions = [readCondition(reader)]
  while (reader.skip('AND')) conditions.push(readCondition(reader))
  if (reader.isNext('OR')) throw queryFault('validation', 'The operator OR is not supported')
  return conditions
}

const readOrder = (reader: Reader): Query['order'] => {
  const read = () => {
    const property = reader.take(['word'], 'a property')
    const descending = reader.skip('DESC')
    if (!descending) reader.skip('ASC')
    return { property, descending }
  }
  const order = [read()]
  while (reader.skip(',')) order.push(read())
  return order
}

const readNumber = ({ take, fail }: Reader): number => {
  const text = take(['word'], 'a number')
  return /^\d{1,9}$/.test(text) ? Number(text) : fail('a number')
}

const skipOrderBy = (reader: Reader): boolean => {
  if (reader.skip('ORDERBY')) return true
  if (!reader.skip('ORDER')) return false
  reader.expect('BY')
  return true
}

/** @throws FaultException 4000 if the text is not a query, 4001 if it uses OR */
export const parseQuery = (text: string): Query => {
  const reader = createReader(text)
  reader.expect('SELECT')
  const counts = reader.skip('COUNT')
  if (counts) reader.expect('(')
  reader.expect('*')
  if (counts) reader.expect(')')
  reader.expect('FROM')
  const entity = reader.take(['word'], 'an entity')
  const conditions = reader.skip('WHERE') ? readConditions(reader) : []
  const order = skipOrderBy(reader) ? readOrder(reader) : []
  const startPosition = reader.skip('STARTPOSITION') ? readNumber(reader) : undefined
  const maxResults = reader.skip('MAXRESULTS') ? readNumber(reader) : undefined
  if (!reader.isNext('<EOF>')) reader.fail('<EOF>')
  return { counts, entity, conditions, order, startPosition, maxResults }
}
