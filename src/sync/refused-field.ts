/** The field that an app refuses, as the caller of a write knows it. */
import type { ResourceConnector } from '../definition/connector.ts'
import type { Input } from '../query/input.ts'

/**
 * Names a field by the app's name of it, `emails.1.address`: `remoteFields.emails.1.address` for who has
 * sent it as such, and otherwise the unified field that says it, `emailAddresses`. What no unified field
 * says, such as what the app wants beside them, keeps the app's name.
 */
export const refusedField = (
  { mapping: { rules, resource }, write }: ResourceConnector,
  remoteFields: Input,
  appField: string,
): string => {
  const [first = ''] = appField.split(/[.[]/, 1)
  if (Object.hasOwn(remoteFields, first)) return `remoteFields.${appField}`
  const written = write?.fieldNames ?? {}
  if (Object.hasOwn(written, first)) return written[first] ?? appField
  const read = Object.keys(resource.fields).find((name) => rules[name] === first)
  return read === undefined ? appField : read + appField.slice(first.length)
}
