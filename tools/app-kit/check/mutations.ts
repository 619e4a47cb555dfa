/**
 * Mutates the raw records of a listing, one value at a time, and observes the mapped record: a field that no
 * mutation changes is not read from the app, and a mutation must never lose the whole record.
 */
import { isDeepStrictEqual } from 'node:util'
import { sourceOf } from '../../../codegen/field-sources.ts'
import type { Rule } from '../../../src/definition/mapping/rule.ts'
import { type ListedResource, mapperOf } from './listing.ts'
import type { Findings } from './result.ts'

const MUTATED_RECORDS = 20
const MAX_MUTATIONS = 5_000

type Path = readonly (string | number)[]

/** The paths of all values in a JSON value, leaves and containers. */
const pathsIn = (value: unknown, path: Path = []): readonly Path[] => {
  if (value === null || typeof value !== 'object') return [path]
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((entry, index) => [index, entry] as const)
    : Object.entries(value)
  const inner = entries.flatMap(([name, entry]) => pathsIn(entry, [...path, name]))
  return path.length === 0 ? inner : [path, ...inner]
}

/** Another value of the same type. */
const changeValue = (value: unknown): unknown => {
  if (typeof value === 'string') {
    if (/^\d{4}-\d\d-\d\d/.test(value)) return `1999${value.slice(4)}`
    return /^-?\d+(\.\d+)?$/.test(value) ? `7${value}` : `${value}x`
  }
  if (typeof value === 'number') return value + 7
  if (typeof value === 'boolean') return !value
  return null
}

/** A copy of the record in which the value at the path is replaced; undefined: it is removed. */
const withValue = (record: unknown, path: Path, value: unknown): unknown => {
  const copy = structuredClone(record)
  // Safe: the path leads through containers of this very record.
  let place = copy as Record<string | number, unknown>
  for (const step of path.slice(0, -1)) place = place[step] as Record<string | number, unknown>
  const last = path.at(-1) ?? ''
  if (value === undefined) delete place[last]
  else place[last] = value
  return copy
}

const valueAt = (record: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, step) => Object(value)[step], record)

const isSet = (value: unknown): boolean =>
  value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0)

/** Whether a rule reads a record: not one without parameters, which gives every record the same value. */
const readsRecord = (rule: Rule | undefined): boolean =>
  rule !== null && !(typeof rule === 'function' && rule.length === 0)

/** Whether a rule depends on more than one value of the record: one of them may hide a mutation of another. */
const readsSeveralValues = (rule: Rule | undefined): boolean => {
  const source = sourceOf(rule)
  return source !== undefined && (source.readsAccount || source.paths.length > 1)
}

/** Mutates records of a listing. */
export const checkMutations = (listed: ListedResource): Findings => {
  const { resource, records } = listed
  const map = mapperOf(listed)
  const names = Object.keys(resource.mapping.resource.fields)
  const populated = new Set<string>()
  const caught = new Set<string>()
  const problems = new Set<string>()
  const ruleOf: Readonly<Record<string, Rule | undefined>> = resource.mapping.rules
  const mapped = names.filter((name) => readsRecord(ruleOf[name]))
  let mutations = 0
  for (const record of records.slice(0, MUTATED_RECORDS)) {
    const { row } = map(record)
    for (const name of mapped) if (isSet(row[name])) populated.add(name)
    for (const path of pathsIn(record)) {
      for (const value of [undefined, null, changeValue(valueAt(record, path))]) {
        if (mutations++ >= MAX_MUTATIONS) break
        try {
          const mutated = map(withValue(record, path, value)).row
          for (const name of mapped)
            if (!isDeepStrictEqual(row[name], mutated[name])) caught.add(name)
        } catch {
          // Only a mutation of the remote id may lose the record.
          if (!isIdentity(map, record, path, row.remoteId))
            problems.add(`the record is lost if ${path.join('.')} has another value`)
        }
      }
    }
  }
  const unchanged = [...populated].filter((name) => !caught.has(name))
  const hidden = unchanged.filter((name) => readsSeveralValues(ruleOf[name]))
  const constant = unchanged.filter((name) => !hidden.includes(name))
  const missing = mapped.filter((name) => !populated.has(name))
  for (const name of constant) problems.add(`${name} does not depend on the app's record`)
  return {
    problems: [...problems],
    summary: [
      `${mutations} mutations change ${caught.size} of ${mapped.length} mapped fields`,
      ...(hidden.length > 0 ? [`none of a single value changes ${hidden.join(', ')}`] : []),
      ...(missing.length > 0 ? [`no value of ${missing.join(', ')} in the sample`] : []),
    ].join('; '),
  }
}

/** Whether the remote id is read from this path, or from a part of the value at it. */
const isIdentity = (
  map: ReturnType<typeof mapperOf>,
  record: unknown,
  path: Path,
  remoteId: string,
): boolean =>
  pathsIn(valueAt(record, path)).some((inner) => {
    try {
      const whole = [...path, ...inner]
      return (
        map(withValue(record, whole, changeValue(valueAt(record, whole)))).row.remoteId !== remoteId
      )
    } catch {
      return true
    }
  })
