/** The names of fields in an app's errors. */
import type { Mapping } from '../mapping.ts'
import { converterOf, type Rule, readsUnchanged, writerOf } from './rule.ts'

/** The part of an app's field name below a path; undefined if the name is not at or below the path. */
const below = (path: string, appField: string): string | undefined => {
  const rest = appField.slice(path.length)
  return appField.startsWith(path) && (rest === '' || rest[0] === '.' || rest[0] === '[')
    ? rest
    : undefined
}

/**
 * The unified field of an app's field name: `vendorName`. If several fields are written to it, it is the first;
 * if none is, the first that reads it unchanged. Undefined if there is none.
 */
export const unifiedField = (
  { resource, rules }: Mapping,
  appField: string,
): string | undefined => {
  const hasParts = (name: string): boolean => {
    const kind = resource.fields[name]?.kind
    return kind?.isList === true || kind?.shape !== undefined
  }
  const find = (pathsOf: (rule: Rule) => readonly string[]): string | undefined => {
    for (const name of Object.keys(resource.fields)) {
      const rule = rules[name] ?? null
      for (const path of pathsOf(rule)) {
        const rest = path === '' ? undefined : below(path, appField)
        // Below a converted value or a scalar, the caller does not know the app's names.
        if (rest !== undefined) return readsUnchanged(rule) && hasParts(name) ? name + rest : name
      }
    }
    return undefined
  }
  return (
    find((rule) => {
      const writer = writerOf(rule)
      return writer ? (writer.sets ?? [writer.to ?? writer.from]) : []
    }) ?? find((rule) => (readsUnchanged(rule) ? [converterOf(rule)?.from ?? ''] : []))
  )
}
