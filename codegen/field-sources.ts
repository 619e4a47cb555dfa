/** The values of an app's record that a rule reads for a field. */
import { converterOf, type NestedRules, type Rule } from '../src/definition/mapping/rule.ts'

/** What a rule reads. */
export interface FieldSource {
  /** Paths in the app's record, or in the nested object for a field of one. */
  readonly paths: readonly string[]
  /** The rule also reads the settings of the account. */
  readonly readsAccount: boolean
  /** The rules of the fields of a nested object. */
  readonly nested?: NestedRules
}

const METHODS: ReadonlySet<string> = new Set(['map', 'flatMap', 'find', 'filter', 'some'])

interface Tracing {
  /** The text that a traced value converts to; undefined: the properties of the value are undefined. */
  readonly text: string | undefined
  /** The path of a property that is undefined. */
  readonly missing?: string | undefined
  report(path: string): void
}

/** Creates an object that reports the path of every property that is read from it, at any depth. */
const createTracer = (tracing: Tracing, path = ''): object => {
  const { text, missing, report } = tracing
  return new Proxy(
    {},
    {
      get: (_, name) => {
        if (name === Symbol.toPrimitive) return () => text
        // A computed name is unknown, and a method of a list is not a field.
        if (typeof name === 'symbol' || name === String(text) || METHODS.has(name)) return undefined
        const below = path === '' ? name : `${path}.${name}`
        report(below)
        return text === undefined || below === missing ? undefined : createTracer(tracing, below)
      },
    },
  )
}

// The texts to run a function with, so that each of its branches runs: no value, no amount, an amount, no
// property.
const TEXTS = ['', '0', '1', undefined] as const

/** Keeps the paths that are not the beginning of another path, in the order of reading. */
const keepLongest = (paths: ReadonlySet<string>): readonly string[] =>
  [...paths].filter((path) => ![...paths].some((other) => other.startsWith(`${path}.`)))

type Read = (raw: never, record: never, context: never) => unknown

/**
 * Runs a rule with traced arguments and reports what it reads. @param from the path of the value that it
 * receives; empty: the record
 */
const traceRule = (read: Read, from = ''): FieldSource => {
  const paths = new Set(from === '' ? [] : [from])
  let readsAccount = false
  const readWithout = (missing?: string): void => {
    for (const text of TEXTS) {
      const record = createTracer({ text, missing, report: (path) => void paths.add(path) })
      const context = createTracer({
        text,
        report: () => {
          readsAccount = true
        },
      })
      // A value may be a text, or an object with values.
      for (const value of from === '' ? [record] : [text, createTracer({ text, report: () => {} })])
        try {
          // Safe: the tracer stands for a record of any app.
          read(value as never, record as never, context as never)
        } catch {
          // A rule may fail on traced values. The paths that it has read until then count.
        }
    }
  }
  readWithout()
  for (const path of [...paths]) readWithout(path)
  return { paths: keepLongest(paths), readsAccount }
}

/** What a rule reads; undefined for a field that the app does not have. */
export const sourceOf = (rule: Rule | undefined): FieldSource | undefined => {
  if (rule === null || rule === undefined) return undefined
  if (typeof rule === 'function') return traceRule(rule)
  const converter = converterOf(rule)
  if (!converter) return undefined
  const { from, read, nested } = converter
  const own: FieldSource = read
    ? traceRule(read, from)
    : { paths: from === '' ? [] : [from], readsAccount: false }
  return nested ? { ...own, nested: nested.rules } : own
}
