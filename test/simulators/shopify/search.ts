/** Evaluates the search language over records. */
import { badRequest } from './errors.ts'
import type { Entry } from './records.ts'
import { parseSearch, type SearchExpression, type SearchTerm } from './search-parser.ts'
import { numberOf, type Shop, typeOfId } from './shop.ts'

/** Creates the predicate of a search term for records. */
export type Filter<Value> = (term: SearchTerm, shop: Shop) => (entry: Entry<Value>) => boolean

export type Filters<Value> = Readonly<Record<string, Filter<Value>>>

type Read<Value, T> = (entry: Entry<Value>, shop: Shop) => T

const compare = ({ comparator }: SearchTerm, order: number): boolean => {
  switch (comparator) {
    case '>':
      return order > 0
    case '>=':
      return order >= 0
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    default:
      return order === 0
  }
}

const rejectValue = ({ field, value }: SearchTerm): never => {
  throw badRequest(`The search query has no valid value for ${field}: "${value}"`)
}

const requireEquality = (term: SearchTerm): void => {
  if (term.comparator !== ':') rejectValue(term)
}

const TIME =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/

/** A time without an offset is in the zone of the shop. */
const readTime = (term: SearchTerm, { settings, clock }: Shop): number => {
  const { value } = term
  if (value === 'now') return clock.nowMs()
  const parts = TIME.exec(value)
  if (!parts) return rejectValue(term)
  const [, year, month = '01', day = '01', offset] = parts
  const isWhole = value.includes('T')
  const ms = Date.parse(
    isWhole ? (offset ? value : `${value}Z`) : `${year}-${month}-${day}T00:00:00Z`,
  )
  if (Number.isNaN(ms)) return rejectValue(term)
  return offset ? ms : ms - settings.timezoneOffsetMinutes * 60_000
}

const DAY_MS = 86_400_000

const dayOf = (ms: number, { settings }: Shop): number =>
  Math.floor((ms + settings.timezoneOffsetMinutes * 60_000) / DAY_MS)

/** Times, to the second. A value without a time of day means that whole day when it is compared for equality. */
export const time =
  <Value>(read: Read<Value, number | undefined>): Filter<Value> =>
  (term, shop) => {
    const wantedMs = readTime(term, shop)
    const isDay = term.comparator === ':' && !term.value.includes('T')
    const unitOf = (ms: number) => (isDay ? dayOf(ms, shop) : Math.floor(ms / 1000))
    return (entry) => {
      const ms = read(entry, shop)
      return ms !== undefined && compare(term, unitOf(ms) - unitOf(wantedMs))
    }
  }

/** Times that the vendor compares by the day: `>` excludes the whole day of the value. */
export const wholeDay =
  <Value>(read: Read<Value, number>): Filter<Value> =>
  (term, shop) => {
    const wanted = dayOf(readTime(term, shop), shop)
    return (entry) => compare(term, dayOf(read(entry, shop), shop) - wanted)
  }

/** Ids as numbers, or as global ids. */
export const id =
  <Value>(read: Read<Value, string | null>): Filter<Value> =>
  (term, shop) => {
    const wanted = typeOfId(term.value) === undefined ? Number(term.value) : numberOf(term.value)
    if (!Number.isSafeInteger(wanted)) return rejectValue(term)
    return (entry) => {
      const found = read(entry, shop)
      return found !== null && compare(term, numberOf(found) - wanted)
    }
  }

export const number =
  <Value>(read: Read<Value, number>): Filter<Value> =>
  (term, shop) => {
    const wanted = Number(term.value)
    if (Number.isNaN(wanted)) return rejectValue(term)
    return (entry) => compare(term, read(entry, shop) - wanted)
  }

export const boolean =
  <Value>(read: Read<Value, boolean>): Filter<Value> =>
  (term, shop) => {
    requireEquality(term)
    if (!['true', 'false'].includes(term.value)) return rejectValue(term)
    return (entry) => read(entry, shop) === (term.value === 'true')
  }

/** Text without regard to case; `*` at its end matches any rest, alone any value. */
const matchesText = (term: string, found: string): boolean =>
  term.endsWith('*')
    ? found.toLowerCase().startsWith(term.slice(0, -1).toLowerCase())
    : found.toLowerCase() === term.toLowerCase()

export const text =
  <Value>(read: Read<Value, readonly (string | null)[]>): Filter<Value> =>
  (term, shop) => {
    requireEquality(term)
    return (entry) =>
      read(entry, shop).some((found) => found !== null && matchesText(term.value, found))
  }

export const noText =
  <Value>(read: Read<Value, readonly (string | null)[]>): Filter<Value> =>
  (term, shop) => {
    const matches = text(read)(term, shop)
    return (entry) => !matches(entry)
  }

/** One of the words of a closed list, or several with commas between them. */
export const word =
  <Value>(
    words: readonly string[],
    matches: (entry: Entry<Value>, word: string, shop: Shop) => boolean,
  ): Filter<Value> =>
  (term, shop) => {
    requireEquality(term)
    const wanted = term.value.toLowerCase().split(',')
    if (!wanted.every((value) => words.includes(value))) return rejectValue(term)
    return (entry) => wanted.some((value) => matches(entry, value, shop))
  }

/** Any of these texts contains the value of a term without a field. */
export const anywhere =
  <Value>(read: Read<Value, readonly (string | null)[]>): Filter<Value> =>
  ({ value }, shop) =>
  (entry) =>
    read(entry, shop).some((found) => found?.toLowerCase().includes(value.toLowerCase()))

export interface SearchContext<Value> {
  readonly filters: Filters<Value>
  /** The filters that the contract lists. */
  readonly declared: Readonly<Record<string, string>>
  readonly shop: Shop
}

const compileTerm = <Value>(term: SearchTerm, context: SearchContext<Value>) => {
  const { filters, declared, shop } = context
  const name = term.field ?? 'default'
  if (!Object.hasOwn(declared, name))
    throw badRequest(`${name} is not a filter: ${Object.keys(declared).join(', ')}`)
  const filter = filters[name]
  if (filter === undefined) throw new Error(`The simulator does not have the filter ${name}`)
  return filter(term, shop)
}

const compile = <Value>(
  expression: SearchExpression,
  context: SearchContext<Value>,
): ((entry: Entry<Value>) => boolean) => {
  if (expression.kind === 'term') return compileTerm(expression.term, context)
  if (expression.kind === 'not') {
    const inner = compile(expression.inner, context)
    return (entry) => !inner(entry)
  }
  const parts = expression.parts.map((part) => compile(part, context))
  return expression.kind === 'and'
    ? (entry) => parts.every((matches) => matches(entry))
    : (entry) => parts.some((matches) => matches(entry))
}

/**
 * Whether a record matches a search query.
 * @throws ApiError if the query is not valid or has a filter that the contract does not list
 */
export const compileSearch = <Value>(
  query: string,
  context: SearchContext<Value>,
): ((entry: Entry<Value>) => boolean) => compile(parseSearch(query), context)
