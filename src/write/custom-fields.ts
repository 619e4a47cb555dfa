/** Custom fields in writes: they become fields of the app, at the paths that their mappings name. */
import { type CustomField, fieldOfType } from '../definition/custom-field.ts'
import { compareDecimals, parseDecimal } from '../definition/decimal.ts'
import type { Json } from '../definition/json.ts'
import { nearest } from '../definition/nearest.ts'
import { formatPath, isObject } from '../definition/value.ts'
import { invalidParameter } from '../errors.ts'
import type { Input } from '../query/input.ts'
import type { WriteRequest } from '../query/write-request.ts'

const findField = (customFields: readonly CustomField[], name: string): CustomField => {
  const found = customFields.find((field) => field.name === name)
  if (found) return found
  const near = nearest(
    name,
    customFields.map((field) => field.name),
  )
  throw invalidParameter(
    `customFields.${name.slice(0, 64)}`,
    near === undefined
      ? 'no custom field, because this resource of the credential has none'
      : `a custom field of this resource of the credential, such as ${near}`,
  )
}

/** The JSON number with these digits. @throws INVALID_PARAMETER if it would be rounded */
const numberOf = (path: string, digits: string): number => {
  const value = Number(digits)
  const [exact, rounded] = [parseDecimal(digits), parseDecimal(String(value))]
  if (exact && rounded && compareDecimals(exact, rounded) === 0) return value
  throw invalidParameter(path, 'a number that a JSON number holds exactly; use the type decimal')
}

/** The value in the form that the app accepts: a number is a JSON number, a decimal its digits. @throws INVALID_PARAMETER */
const readValue = ({ name, type }: CustomField, value: Json): Json => {
  const { kind } = fieldOfType(type)
  if (value === null) return kind.isList ? [] : null
  const { data, error } = kind.input.safeParse(value)
  if (!error) return type === 'number' ? numberOf(`customFields.${name}`, String(data)) : data
  const [issue] = error.issues
  throw invalidParameter(
    formatPath(['customFields', name, ...(issue?.path ?? [])]),
    issue?.message ?? 'a valid value',
  )
}

/** The object with the value at the path; undefined if it has another value there. */
const withValue = (
  object: Input,
  [step = '', ...rest]: readonly string[],
  value: Json,
): Input | undefined => {
  const present = Object.hasOwn(object, step) ? object[step] : undefined
  if (rest.length === 0) return present === undefined ? { ...object, [step]: value } : undefined
  if (present !== undefined && !isObject(present)) return
  // Safe: an object of JSON has JSON values.
  const below = withValue((present ?? {}) as Input, rest, value)
  return below && { ...object, [step]: below as Json }
}

/**
 * Adds the values of custom fields to the fields under the app's own names.
 * @throws INVALID_PARAMETER for an unknown custom field, an invalid value, and a value that `remoteFields` sets too
 */
export const addCustomFields = (
  customFields: readonly CustomField[],
  values: Input,
  remoteFields: Input,
): Input =>
  Object.entries(values).reduce((fields, [name, value]) => {
    const customField = findField(customFields, name)
    const { remoteField } = customField
    const added = withValue(fields, remoteField.split('.'), readValue(customField, value))
    if (added) return added
    throw invalidParameter(
      `customFields.${name}`,
      `no value, because another field sets ${remoteField} already`,
    )
  }, remoteFields)

/** The custom field that the caller sent and the app rejects under its own name: `customFields.tier`. */
export const refusedCustomField = (
  customFields: readonly CustomField[],
  { customFields: values = {} }: WriteRequest,
  appField: string,
): string | undefined => {
  const found = customFields.find(
    ({ name, remoteField }) =>
      Object.hasOwn(values, name) &&
      (appField === remoteField ||
        appField.startsWith(`${remoteField}.`) ||
        appField.startsWith(`${remoteField}[`)),
  )
  return found && `customFields.${found.name}`
}
