/**
 * Shows that the tests of a connector notice a wrong field name: each name in the traffic between the connector and
 * its app is renamed, one at a time, and a case of the tests must fail. The app is a simulator in memory, or
 * recorded responses. Independent of vitest and of any connector.
 *
 *     const report = await mutateFields(cases)
 *     console.log(describeReport(report))
 *     expect(report.share).toBeGreaterThanOrEqual(LEAST_SHARE)
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { AppRequest } from '../../src/definition/connector.ts'
import { isObject } from '../../src/definition/value.ts'

/** The traffic between a connector and its app, which a case passes through it. */
export interface Traffic {
  /** JSON that the app sends: the body of a response or of a webhook. */
  received<Body>(body: Body): Body
  /** A request that the connector sends: its body, and the query of its path. */
  sent(request: AppRequest): AppRequest
}

/** A part of the tests of a connector. Each run starts from the same state, and has the same outcome. */
export interface FieldCase {
  readonly name: string
  /** Runs the connector. @returns what it makes of the traffic, as JSON: records, events, requests */
  run(traffic: Traffic): Promise<unknown>
  /** @throws if the outcome is wrong */
  check(outcome: unknown): void
}

/**
 * What is renamed: a name in what the app sends, or in the body, the texts of the body, or the query of a
 * request.
 */
interface Mutation {
  readonly place: 'received' | 'sent' | 'sentText' | 'query'
  /** A path of names for `received` and `sent`, `Line[].Amount`; otherwise a name. */
  readonly name: string
}

export interface FieldReport {
  /** The number of renamed names for which a case failed. */
  readonly caught: number
  /** The renamed names for which no case failed: `received QueryResponse.Bill[].DueDate`. */
  readonly missed: readonly string[]
  /** Share of the renamed names for which a case failed, from 0 to 1. */
  readonly share: number
}

/** The share that is required of every connector. */
export const MIN_SHARE = 0.98

const RENAMED = 'Renamed'
const WORD = /[A-Za-z_]\w{0,80}/g

const lastOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1).replaceAll('[]', '')

/** Visits each object of a JSON value with the path to its names. */
const mapObjects = (
  value: unknown,
  path: string,
  rename: (name: string, path: string) => string,
): unknown => {
  if (Array.isArray(value)) return value.map((entry) => mapObjects(entry, `${path}[]`, rename))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      const at = path === '' ? name : `${path}.${name}`
      return [rename(name, at), mapObjects(part, at, rename)]
    }),
  )
}

const mapTexts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, mapTexts(part, change)]),
  )
}

/** The path with its query rewritten: the name of each parameter, and the words of its value. */
const mapQuery = (path: string, change: (word: string) => string): string => {
  const [address = '', query] = path.split('?', 2)
  if (query === undefined) return path
  const changed = [...new URLSearchParams(query)].map(([name, value]) => [
    change(name),
    value.replaceAll(WORD, change),
  ])
  return `${address}?${new URLSearchParams(changed)}`
}

/** Safe: the value has the same form as before, with other names. */
const assumeSameType = <Value>(value: unknown): Value => value as Value

const createMutatingTraffic = ({ place, name }: Mutation): Traffic => {
  const atPath = (key: string, path: string) => (path === name ? key + RENAMED : key)
  const renameWord = (text: string) => (text === name ? text + RENAMED : text)
  return {
    received: (body) =>
      place === 'received' ? assumeSameType(mapObjects(structuredClone(body), '', atPath)) : body,
    sent: (request) => {
      if (place === 'query') return { ...request, path: mapQuery(request.path, renameWord) }
      if (request.body === undefined) return request
      if (place === 'sent')
        return { ...request, body: assumeSameType(mapObjects(request.body, '', atPath)) }
      if (place === 'sentText')
        return { ...request, body: assumeSameType(mapTexts(request.body, renameWord)) }
      return request
    },
  }
}

/** The names that pass through a case. */
interface Seen {
  readonly received: Set<string>
  readonly sent: Set<string>
  readonly sentText: Set<string>
  readonly query: Set<string>
}

const observe = (seen: Seen): Traffic => ({
  received: (body) => {
    mapObjects(body, '', (name, path) => {
      seen.received.add(path)
      return name
    })
    return body
  },
  sent: (request) => {
    mapObjects(request.body, '', (name, path) => {
      seen.sent.add(path)
      return name
    })
    mapTexts(request.body, (text) => {
      seen.sentText.add(text)
      return text
    })
    mapQuery(request.path, (word) => {
      seen.query.add(word)
      return word
    })
    return request
  },
})

interface ObservedCase {
  readonly fieldCase: FieldCase
  readonly seen: Seen
  /** The outcome without a mutation, as text. */
  readonly outcome: string
}

const observeCase = async (fieldCase: FieldCase): Promise<ObservedCase> => {
  const seen = { received: new Set(), sent: new Set(), sentText: new Set(), query: new Set() }
  const outcome = await fieldCase.run(observe(assumeSameType(seen)))
  fieldCase.check(outcome)
  return { fieldCase, seen: assumeSameType(seen), outcome: JSON.stringify(outcome) }
}

/** Runs one case with the mutation. `same`: the outcome does not change. */
const runMutated = async (
  { fieldCase, outcome: before }: ObservedCase,
  mutation: Mutation,
): Promise<'caught' | 'missed' | 'same'> => {
  try {
    const outcome = await fieldCase.run(createMutatingTraffic(mutation))
    if (JSON.stringify(outcome) === before) return 'same'
    fieldCase.check(outcome)
    return 'missed'
  } catch {
    return 'caught'
  }
}

/**
 * Runs every case in which the name occurs. `unread`: the app sends a name that the connector does not read. A name
 * that the connector sends always counts.
 */
const runAllMutated = async (
  cases: readonly ObservedCase[],
  mutation: Mutation,
): Promise<'caught' | 'missed' | 'unread'> => {
  let isRead = mutation.place !== 'received'
  for (const observed of cases) {
    if (!observed.seen[mutation.place].has(mutation.name)) continue
    const result = await runMutated(observed, mutation)
    if (result === 'caught') return 'caught'
    if (result === 'missed') isRead = true
  }
  return isRead ? 'missed' : 'unread'
}

const allNames = (cases: readonly ObservedCase[], place: Mutation['place']): ReadonlySet<string> =>
  new Set(cases.flatMap(({ seen }) => [...seen[place]]))

const mutationsOf = (cases: readonly ObservedCase[]): readonly Mutation[] => {
  const received = allNames(cases, 'received')
  const names = new Set([...received].map(lastOf))
  const mutationsAt = (place: Mutation['place'], found: Iterable<string>): readonly Mutation[] =>
    [...found].map((name) => ({ place, name }))
  // Texts and queries consist of names and values; only the words that are names are renamed.
  const namesAt = (place: 'sentText' | 'query') =>
    mutationsAt(
      place,
      [...allNames(cases, place)].filter((word) => names.has(word)),
    )
  return [
    ...mutationsAt('received', received),
    ...mutationsAt('sent', allNames(cases, 'sent')),
    ...namesAt('sentText'),
    ...namesAt('query'),
  ]
}

/** The words of the TypeScript files of a folder, without comments. */
const wordsIn = (folder: URL): ReadonlySet<string> => {
  const sources = readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
  const withoutComments = (line: string): string =>
    /^\s{0,20}(\/\*\*|\*|\/\/)/.test(line) ? '' : (line.split(' // ', 1)[0] ?? '')
  const code = sources.flatMap((source) => source.split('\n').map(withoutComments))
  return new Set(code.flatMap((line) => line.match(WORD) ?? []))
}

/** The names that a connector's source has, although no case sends or receives them. */
export interface DeclaredNames {
  /** The folder of the connector, with a slash at its end. */
  readonly folder: URL
  /** The field names of the app's contract. */
  readonly names: Iterable<string>
  /** Names that the source has for another reason. */
  readonly except?: readonly string[]
}

const listUnseenNames = (
  cases: readonly ObservedCase[],
  declared: DeclaredNames,
): readonly string[] => {
  const { folder, names, except = [] } = declared
  const words = wordsIn(folder)
  const places: readonly Mutation['place'][] = ['received', 'sent', 'sentText', 'query']
  const seen = new Set(places.flatMap((place) => [...allNames(cases, place)].map(lastOf)))
  return [...new Set(names)].filter(
    (name) => words.has(name) && !seen.has(name) && !except.includes(name),
  )
}

/**
 * Renames each name that passes between the connector and its app, one at a time, and runs the cases that use it.
 * @param declared in addition, names of the contract that the connector has but no case passes are counted as
 * missed
 * @throws if a case fails without a mutation
 */
export const mutateFields = async (
  cases: readonly FieldCase[],
  declared?: DeclaredNames,
): Promise<FieldReport> => {
  const observed: ObservedCase[] = []
  for (const fieldCase of cases) observed.push(await observeCase(fieldCase))
  const missed = declared
    ? listUnseenNames(observed, declared).map((name) => `never passed ${name}`)
    : []
  let caught = 0
  for (const mutation of mutationsOf(observed)) {
    const mutationOutcome = await runAllMutated(observed, mutation)
    if (mutationOutcome === 'caught') caught += 1
    if (mutationOutcome === 'missed') missed.push(`${mutation.place} ${mutation.name}`)
  }
  const total = caught + missed.length
  return { caught, missed, share: total === 0 ? 0 : caught / total }
}

/** The share in words, and each missed name. */
export const describeReport = ({ caught, missed, share }: FieldReport): string =>
  [
    `${caught} of ${caught + missed.length} renamed fields are noticed (${(share * 100).toFixed(1)} %)`,
    ...missed.map((name) => `  missed: ${name}`),
  ].join('\n')
