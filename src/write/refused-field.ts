/** Names the field that an app refuses as the caller named it. */
import type { ResourceConnector } from '../definition/connector.ts'
import { unifiedField } from '../definition/mapping/write.ts'
import type { Input } from '../query/input.ts'

/**
 * Converts the app's name of a field (`emails.1.address`) into the caller's: `remoteFields.emails.1.address` if
 * the caller sent it there, otherwise the unified field that is mapped to it (`emailAddresses`). A field
 * without a unified one keeps the app's name.
 */
export const refusedField = (
  { mapping }: ResourceConnector,
  remoteFields: Input,
  appField: string,
): string => {
  const [first = ''] = appField.split(/[.[]/, 1)
  if (Object.hasOwn(remoteFields, first)) return `remoteFields.${appField}`
  return unifiedField(mapping, appField) ?? appField
}
