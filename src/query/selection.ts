/** Selections: the part of a record that a subscriber requests. */
import { ExactNumber, parseExactly } from './exact-json.ts'

/** One selected field. */
export interface SelectedField {
  readonly name: string
  /** The name of the field in the result. */
  readonly as: string
  /** The selection in an object, or in each entry of a list. */
  readonly of?: Selection
}

/** The selected fields of an object, in order. */
export type Selection = readonly SelectedField[]

const write = (value: unknown, selection: Selection | undefined): string => {
  if (value instanceof ExactNumber) return value.digits
  if (Array.isArray(value)) return `[${value.map((entry) => write(entry, selection)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = value as Readonly<Record<string, unknown>>
  const chosen = selection ?? Object.keys(fields).map((name): SelectedField => ({ name, as: name }))
  return `{${chosen
    .map(({ name, as, of }) => `${JSON.stringify(as)}:${write(fields[name] ?? null, of)}`)
    .join(',')}}`
}

/** Returns the selected part of a record. Both are JSON text. */
export const selectFrom = (record: string, selection: Selection): string =>
  write(parseExactly(record), selection)
