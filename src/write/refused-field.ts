/** Converts the name of a rejected field from the name in the app to the name that the caller used. */
import type { ResourceConnector } from '../definition/connector.ts'
import { unifiedField } from '../definition/mapping/unified-field.ts'
import type { Input } from '../query/input.ts'

/** The entries of lists in the form that other errors have: `lines[0].price`. */
const withIndexes = (path: string): string => path.replace(/\.(\d{1,9})(?=\.|$)/g, '[$1]')

/**
 * Converts the app's name of a field (`emails.1.address`) into the caller's: `remoteFields.emails[1].address` if
 * the caller sent it there, otherwise the unified field that is written to it or read from it
 * (`emailAddresses`), without the app's names of its parts. Undefined for a field without a unified one.
 */
export const refusedField = (
  { mapping }: ResourceConnector,
  remoteFields: Input,
  appField: string,
): string | undefined => {
  const [first = ''] = appField.split(/[.[]/, 1)
  if (Object.hasOwn(remoteFields, first)) return `remoteFields.${withIndexes(appField)}`
  const field = unifiedField(mapping, appField)
  return field && withIndexes(field)
}
