/** The part of a record that a subscriber asked for, and how it is taken out of the record. */
import { ExactNumber, parseExactly } from './exact-json.ts'

/** One selected field. */
export interface SelectedField {
  readonly name: string
  /** The name that it is given. */
  readonly as: string
  /** Of an object, or of each entry of a list. */
  readonly of?: Selection
}

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

/** The selected part of a record. Both are JSON text. */
export const selectFrom = (record: string, selection: Selection): string =>
  write(parseExactly(record), selection)
