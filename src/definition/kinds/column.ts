/** Column types of kinds: their SQL type, and the SQL that writes a value as JSON. */

/** The column type of a kind. */
export interface KindColumn {
  readonly sqlType: string
  /** The field's type in the Prisma model. */
  readonly prismaType: string
  /** The native type attribute of the Prisma field; empty if Prisma's default is the SQL type. */
  readonly prismaNative: string
  /** The SQL expression of a value's JSON text, from the SQL expression of the value; SQL null for null. */
  jsonText(value: string): string
  /**
   * The value in the JSON of records for PostgreSQL; its text equals that of `jsonText`. If
   * absent, the normalized value is sent.
   */
  readonly toJson?: (normal: unknown) => unknown
}

/** The SQL expression of a timestamp's JSON text; SQL null for null. Sessions run in UTC. */
export const timeText = (value: string): string =>
  `to_char(${value}, '"\\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\\""')`

// For ids and the digits of decimals, which need no escaping.
const quotedText = (value: string): string => `'"' || ${value} || '"'`
const bareText = (value: string): string => `${value}::text`
const escapedText = (value: string): string => `to_json(${value})::text`

const column = (
  sqlType: string,
  prismaType: string,
  jsonText: KindColumn['jsonText'],
  prismaNative = '',
): KindColumn => ({ sqlType, prismaType, prismaNative, jsonText })

export const textColumn = column('text', 'String', escapedText)
export const integerColumn = column('integer', 'Int', bareText)
/** A `numeric` that the API shows as a JSON number with all its digits. */
export const numericColumn = column('numeric', 'Decimal', bareText, ' @db.Decimal')
/** A `numeric` that the API shows as a JSON string of its digits. */
export const numericTextColumn = column('numeric', 'Decimal', quotedText, ' @db.Decimal')
export const booleanColumn = column('boolean', 'Boolean', bareText)
export const timeColumn = column('timestamptz(3)', 'DateTime', timeText, ' @db.Timestamptz(3)')
export const uuidColumn = column('uuid', 'String', quotedText, ' @db.Uuid')
export const uuidsColumn = column('uuid[]', 'String[]', escapedText, ' @db.Uuid')
export const textsColumn = column('text[]', 'String[]', escapedText)
export const jsonColumn = column('jsonb', 'Json', bareText)
