/** The vendor's schema, with the values that its scalars accept. */
import { readFileSync } from 'node:fs'
import { buildSchema, GraphQLError, GraphQLScalarType, valueFromASTUntyped } from 'graphql'

const readContract = (file: string): string =>
  readFileSync(`${import.meta.dirname}/contract/${file}`, 'utf8')

export const schema = buildSchema(readContract('admin-2026-07.sdl'))

/** The filters of each `query` argument with their types, by the field of the root type. */
export const searchFields: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  readContract('search-fields.json'),
)

const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d))?$/.test(text) &&
  !Number.isNaN(Date.parse(text))

const isDecimal = (text: string): boolean => /^-?\d{1,20}(\.\d{1,20})?$/.test(text)

const ACCEPTED: Readonly<Record<string, (text: string) => boolean>> = {
  DateTime: isTime,
  Decimal: isDecimal,
  FormattedString: () => true,
  HTML: () => true,
  Money: isDecimal,
  URL: (text) => URL.canParse(text),
  UnsignedInt64: (text) => /^\d{1,20}$/.test(text),
}

/** Numbers are accepted for amounts; responses have text. */
const accept = (name: string, isAccepted: (text: string) => boolean) => (value: unknown) => {
  const isNumber = typeof value === 'number' && isAccepted === isDecimal
  const text = isNumber ? String(value) : value
  if (typeof text !== 'string' || !isAccepted(text))
    throw new GraphQLError(`${JSON.stringify(value)} is not a valid ${name}`)
  return text
}

for (const [name, isAccepted] of Object.entries(ACCEPTED)) {
  const scalar = schema.getType(name)
  if (!(scalar instanceof GraphQLScalarType)) throw new Error(`The contract has no scalar ${name}`)
  const check = accept(name, isAccepted)
  scalar.parseValue = check
  scalar.parseLiteral = (node, variables) => check(valueFromASTUntyped(node, variables))
  scalar.serialize = check
}
