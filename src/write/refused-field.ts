/** Converts the name of a rejected field from the name in the app to the name that the caller used. */
import type { ResourceConnector } from '../definition/connector.ts'
import { unifiedField } from '../definition/mapping/write.ts'
import type { Input } from '../query/input.ts'

/**
 * Converts the app's name of a field (`emails.1.address`) into the caller's: `remoteFields.emails.1.address` if
 * the caller sent it there, otherwise the unified field that is written to it or read from it
 * (`emailAddresses`), without the app's names of its parts. Undefined for a field without a unified one.
 */
export const refusedField = (
  { mapping }: ResourceConnector,
  remoteFields: Input,
  appField: string,
): string | undefined => {
  const [first = ''] = appField.split(/[.[]/, 1)
  if (Object.hasOwn(remoteFields, first)) return `remoteFields.${appField}`
  return unifiedField(mapping, appField)
}
