/** Reads values from an app's record. */
import { isObject } from '../value.ts'
import type { JsonObject, NestedRules, Rule } from './rule.ts'

/** Reads a value from an object of a raw record. `context` is that of the account. */
export type ValueReader = (raw: unknown, record: unknown, context?: unknown) => unknown

/** Reads the value at a path; undefined if there is none. */
export const readPath = (path: string): ((raw: unknown) => unknown) => {
  const steps = path === '' ? [] : path.split('.')
  return (raw) => {
    let value: unknown = raw
    for (const step of steps) {
      if (typeof value !== 'object' || value === null) return undefined
      // Safe: an object is read by key, and a missing key is undefined.
      value = (value as Record<string, unknown>)[step]
    }
    return value
  }
}

/** Reads an object by nested rules. A value that is not an object is returned unchanged. */
export const objectReader = (rules: NestedRules): ValueReader => {
  const readers = Object.entries(rules).map(([name, rule]) => ({ name, read: reader(rule) }))
  return (raw, record, context) => {
    if (!isObject(raw)) return raw
    const result: Record<string, unknown> = {}
    for (const { name, read } of readers) result[name] = read(raw, record, context)
    return result
  }
}

/** Compiles a rule to a function. */
export const reader = (rule: Rule): ValueReader => {
  if (rule === null) return () => null
  // Safe: the rules of a mapping receive only records of their own app.
  if (typeof rule === 'function') return rule as ValueReader
  if (typeof rule === 'string') return readPath(rule)
  const { from, ofRecord, nested } = rule
  const readFrom = readPath(from)
  const readEntry = nested && objectReader(nested.rules)
  return (raw, record, context) => {
    let value = readFrom(ofRecord ? record : raw)
    if (value !== null && value !== undefined && rule.read)
      value = rule.read(value, record, context)
    if (!readEntry) return value
    if (!nested.isList || !Array.isArray(value)) return readEntry(value, record, context)
    const { shows } = nested.options ?? {}
    // Safe cast: the value was parsed from JSON. An entry that is not an object is reported.
    const isShown = (entry: unknown) => !isObject(entry) || shows?.(entry as JsonObject) !== false
    return value.filter(isShown).map((entry) => readEntry(entry, record, context))
  }
}

/** Paths by their first step: `true` if a path ends there, otherwise the paths below it. */
type PathTree = ReadonlyMap<string, PathTree | true>

const treeOf = (paths: readonly (readonly string[])[]): PathTree =>
  new Map(
    [...Map.groupBy(paths, ([first = '']) => first)].map(([first, group]) => [
      first,
      group.some(({ length }) => length === 1) || treeOf(group.map((path) => path.slice(1))),
    ]),
  )

const without = (value: object, tree: PathTree): Readonly<Record<string, unknown>> => {
  const left: [string, unknown][] = []
  for (const [key, part] of Object.entries(value)) {
    const taken = tree.get(key)
    if (taken === true) continue
    const rest = taken && isObject(part) ? without(part, taken) : part
    // Leave out an object that is empty now and was not empty before.
    if (rest === part || Object.keys(Object(rest)).length > 0) left.push([key, rest])
  }
  return Object.fromEntries(left)
}

/** Reads what remains of a record without the values at some paths. */
export const remainderReader = (paths: readonly string[]): ((raw: unknown) => unknown) => {
  const tree = treeOf(paths.map((path) => path.split('.')))
  return (raw) => without(Object(raw ?? {}), tree)
}
