/** Names the field that an app refuses as the caller named it. */
import type { ResourceConnector } from '../definition/connector.ts'
import type { Input } from '../query/input.ts'

/** Whether an app's path of a field is `name` or inside it: `lines.0.quantity` and `lines[0]` are inside `lines`. */
const isWithin = (path: string, name: string): boolean =>
  path.startsWith(name) && ['', '.', '['].includes(path.charAt(name.length))

/**
 * Converts the app's name of a field (`emails.1.address`) into the caller's: `remoteFields.emails.1.address` if
 * the caller sent it there, otherwise the unified field that is written to it or read from it
 * (`emailAddresses`), without the app's names of its parts. Undefined for a field without a unified one.
 */
export const refusedField = (
  { mapping: { rules, resource }, write }: ResourceConnector,
  remoteFields: Input,
  appField: string,
): string | undefined => {
  const [first = ''] = appField.split(/[.[]/, 1)
  if (Object.hasOwn(remoteFields, first)) return `remoteFields.${appField}`
  const written = write?.fieldNames ?? {}
  if (Object.hasOwn(written, first)) return written[first]
  return Object.keys(resource.fields).find((name) => {
    const { [name]: rule } = rules
    return typeof rule === 'string' && isWithin(appField, rule)
  })
}
