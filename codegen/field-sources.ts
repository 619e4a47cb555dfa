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

/**
 * An object that reports the path of every property that is read from it, and of those below. As a text, it is `text`;
 * without one, its properties are undefined.
 */
const tracer = (text: string | undefined, report: (path: string) => void, path = ''): object =>
  new Proxy(
    {},
    {
      get: (_, name) => {
        if (name === Symbol.toPrimitive) return () => text
        // A name that is a traced value is not known, and a method of a list is no field.
        if (typeof name === 'symbol' || name === String(text) || METHODS.has(name)) return undefined
        const below = path === '' ? name : `${path}.${name}`
        report(below)
        return text === undefined ? undefined : tracer(text, report, below)
      },
    },
  )

// Texts that lead through the branches of functions: no value, no amount, an amount, no property.
const TEXTS = ['', '0', '1', undefined] as const

/** The paths that no other one continues, in the order in which they were read. */
const longest = (paths: ReadonlySet<string>): readonly string[] =>
  [...paths].filter((path) => ![...paths].some((other) => other.startsWith(`${path}.`)))

type Read = (raw: never, record: never, context: never) => unknown

/** What a function reads of its arguments. */
const traced = (read: Read): FieldSource => {
  const paths = new Set<string>()
  let readsAccount = false
  for (const text of TEXTS) {
    const raw = tracer(text, (path) => void paths.add(path))
    const context = tracer(text, () => {
      readsAccount = true
    })
    try {
      // Safe: the tracer stands for a record of any app.
      read(raw as never, raw as never, context as never)
    } catch {
      // The traced values are not those of a record. What was read until then counts.
    }
  }
  return { paths: longest(paths), readsAccount }
}

/** What a rule reads; undefined for a field that the app does not have. */
export const sourceOf = (rule: Rule | undefined): FieldSource | undefined => {
  if (rule === null || rule === undefined) return undefined
  if (typeof rule === 'function') return traced(rule)
  const converter = converterOf(rule)
  if (!converter) return undefined
  const { from, read, nested } = converter
  const own: FieldSource =
    from !== '' || !read ? { paths: from === '' ? [] : [from], readsAccount: false } : traced(read)
  return nested ? { ...own, nested: nested.rules } : own
}
