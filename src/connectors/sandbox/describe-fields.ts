/** Reads which fields the records of a collection have beside the common model. */
import type { Steps } from '../../definition/connector.ts'
import { type AppField, customFieldTypes } from '../../definition/custom-field.ts'
import { isObject } from '../../definition/value.ts'

const readField = (field: unknown): AppField => {
  const { name, label, type, options } = isObject(field) ? field : {}
  if (typeof name !== 'string' || typeof label !== 'string')
    throw new Error('The sandbox described a field without a name or a label.')
  return {
    remoteField: name,
    label,
    type: customFieldTypes.find((known) => known === type) ?? null,
    writable: true,
    ...(Array.isArray(options) && { options: options.map(String) }),
  }
}

/** The steps that read the fields of the collection `kind`. */
export const describeFields = (kind: string) =>
  function* (): Steps<readonly AppField[]> {
    const { body } = yield { method: 'GET', path: `/v1/fields/${kind}` }
    const { items } = isObject(body) ? body : {}
    if (!Array.isArray(items)) throw new Error('The sandbox described no fields.')
    return items.map(readField)
  }
