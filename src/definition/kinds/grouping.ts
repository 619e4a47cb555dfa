/** The grouping keys of aggregates: the value of a field, or the day, month or year of a time. */
import type { JsonSchema } from '../json.ts'
import { textColumn } from './column.ts'
import type { Field, GraphqlType } from './kind.ts'

/** A grouping key. */
export interface Grouping {
  /** Added to the name of the field. */
  readonly suffix: '' | 'Day' | 'Month' | 'Year'
  readonly doc: string
  readonly graphql: GraphqlType
  /** The JSON schema of a key that is not null. */
  readonly jsonSchema: JsonSchema
  /** The SQL expression of the key, from that of the column. */
  sql(column: string): string
  /** The SQL expression of the key's JSON text, from that of the key; SQL null for null. */
  jsonText(key: string): string
}

/** Longer texts are grouped by their first characters: a response may have a thousand keys. */
export const MAX_KEY_LENGTH = 200

const period = (
  suffix: Grouping['suffix'],
  pattern: string,
  { doc, form }: { readonly doc: string; readonly form: string },
): Grouping => ({
  suffix,
  doc,
  graphql: { scalar: 'String' },
  jsonSchema: { type: 'string', pattern: form },
  // Sessions run in UTC.
  sql: (column) => `to_char(${column}, '${pattern}')`,
  jsonText: textColumn.jsonText,
})

const periods: readonly Grouping[] = [
  period('Day', 'YYYY-MM-DD', { doc: 'the day in UTC', form: String.raw`^\d{4}-\d{2}-\d{2}$` }),
  period('Month', 'YYYY-MM', { doc: 'the month in UTC', form: String.raw`^\d{4}-\d{2}$` }),
  period('Year', 'YYYY', { doc: 'the year in UTC', form: String.raw`^\d{4}$` }),
]

const valueGrouping = ({ kind }: Field): Grouping => {
  const isText = kind.column.sqlType === textColumn.sqlType
  return {
    suffix: '',
    doc: kind.reference ? 'the id of the record' : 'the value',
    graphql: kind.graphql,
    jsonSchema: kind.jsonSchema('output'),
    sql: (column) => (isText ? `left(${column}, ${MAX_KEY_LENGTH})` : column),
    jsonText: kind.column.jsonText,
  }
}

/** The grouping keys of a field. */
export const groupingsOf = (field: Field): readonly Grouping[] => {
  const { groupedBy } = field.kind
  if (groupedBy === undefined) return []
  return groupedBy === 'value' ? [valueGrouping(field)] : periods
}
