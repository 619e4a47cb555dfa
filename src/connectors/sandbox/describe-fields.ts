/** Reads which fields the records of a collection have beside the common model. */
import type { Steps } from '../../definition/connector.ts'
import { type AppField, customFieldTypes } from '../../definition/custom-field.ts'
import { entriesOf, valuesOf } from '../../definition/raw-values.ts'

/** The steps that read the fields of the collection `kind`. */
export const describeFields = (kind: string) =>
  function* (): Steps<readonly AppField[]> {
    const { body } = yield { method: 'GET', path: `/v1/fields/${kind}` }
    return entriesOf(valuesOf(body).items).map(({ name, label, type, options }) => ({
      remoteField: String(name),
      label: String(label),
      type: customFieldTypes.find((known) => known === type) ?? null,
      writable: true,
      ...(Array.isArray(options) && { options: options.map(String) }),
    }))
  }
