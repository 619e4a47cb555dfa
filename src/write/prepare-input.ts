/** Prepares a caller's input for the connector. */
import type { Catalogue } from '../definition/catalogue.ts'
import type { WriteInput } from '../definition/connector.ts'
import { ApiError } from '../errors.ts'
import { unsupportedFields, type WriteRequest } from '../query/write-request.ts'
import type { Database } from '../store/database/database.ts'
import { addCustomFields } from './custom-fields.ts'
import type { WriteTarget } from './open-target.ts'
import { resolveReferences } from './resolve-references.ts'

/**
 * Checks that the app supports every field, replaces references by the app's own ids, and custom fields by the
 * app's own fields.
 * @throws FIELD_NOT_SUPPORTED naming each unsupported field, INVALID_PARAMETER for a reference to no record and for
 * an unknown or invalid custom field
 */
export const prepareInput = async (
  { database, catalogue }: { readonly database: Database; readonly catalogue: Catalogue },
  { owner, resource, connector, customFields }: WriteTarget,
  { fields, remoteFields, customFields: values = {} }: WriteRequest,
  supported: readonly string[],
): Promise<WriteInput> => {
  const unsupported = unsupportedFields(fields, supported)
  if (unsupported.length > 0)
    throw new ApiError(
      'FIELD_NOT_SUPPORTED',
      `${connector.name} does not support ${unsupported.join(', ')} of ${resource.plural}. Leave them out.`,
      unsupported.map((field) => ({ field, expected: 'to be left out' })),
    )
  const { credentialId } = owner
  // Before the references, which are looked up in the database.
  const appFields = addCustomFields(customFields, values, remoteFields)
  return {
    fields: await resolveReferences(database, catalogue, credentialId, resource, fields),
    remoteFields: appFields,
  }
}
