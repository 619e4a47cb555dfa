/** What the OpenAPI document lets a caller give is what the service takes: the same bounds, the same words. */
import { describe, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import {
  MAX_INPUT_ENTRIES,
  MAX_INPUT_ID,
  MAX_INPUT_TEXT,
  readInput,
} from '../../src/query/input.ts'
import { parseWrite, writableFields } from '../../src/query/write-request.ts'
import { type OpenApiDocument, openapiText, schemaCompiler } from '../support/openapi.ts'

// Its own tests say whether it is what this type says.
const document = JSON.parse(openapiText) as OpenApiDocument
const compile = schemaCompiler(document)

const isTaken = (read: () => unknown): boolean => {
  try {
    read()
    return true
  } catch {
    return false
  }
}

const address = { street1: 'Quay 1' }
const phone = { phoneNumber: '1' }
const vendor = { vendorName: 'X' }

describe('a record', () => {
  const written = catalogue.resources.filter(({ verbs }) => verbs.includes('update'))

  test.each(written.map((resource) => [resource.typeName, resource] as const))(
    '%s takes an object as remoteFields, and nothing else',
    (typeName, resource) => {
      const fits = compile('components', 'schemas', `${typeName}Input`)
      const required = Object.fromEntries(
        Object.entries(writableFields(resource)).flatMap(([name, field]) =>
          field.required ? [[name, 'X']] : [],
        ),
      )
      for (const remoteFields of [{}, { a: [1] }, null, 'x', 5, true, []]) {
        const given = { ...required, remoteFields }
        const taken = isTaken(() => parseWrite(resource, given))
        expect(fits(given), JSON.stringify(remoteFields)).toBe(taken)
      }
    },
  )
})

test.each<[string, object, boolean]>([
  ['a word of the contract', { addresses: [{ ...address, addressType: 'BILLING' }] }, true],
  ['a word as it is shown', { addresses: [{ ...address, addressType: 'Billing' }] }, true],
  ['a word that there is not', { addresses: [{ ...address, addressType: 'Home' }] }, false],
  ['a kind of number', { phoneNumbers: [{ ...phone, phoneNumberType: 'Fax' }] }, true],
  ['a kind that there is not', { phoneNumbers: [{ ...phone, phoneNumberType: 'Pager' }] }, false],
  ['a text of the greatest length', { email: 'x'.repeat(MAX_INPUT_TEXT) }, true],
  ['a longer text', { email: 'x'.repeat(MAX_INPUT_TEXT + 1) }, false],
  ['an id of the greatest length', { companyId: 'x'.repeat(MAX_INPUT_ID) }, true],
  ['a longer id', { companyId: 'x'.repeat(MAX_INPUT_ID + 1) }, false],
  [
    'a list of the greatest length',
    { phoneNumbers: Array(MAX_INPUT_ENTRIES).fill({ ...phone, phoneNumberType: 'FAX' }) },
    true,
  ],
  [
    'a longer list',
    { phoneNumbers: Array(MAX_INPUT_ENTRIES + 1).fill({ ...phone, phoneNumberType: 'FAX' }) },
    false,
  ],
])('%s is in the document as it is in the service', (_what, fields, isGood) => {
  const given = { ...vendor, ...fields }
  const resource = catalogue.get('accounting/vendors')
  expect(isTaken(() => readInput(resource.fields, given))).toBe(isGood)
  expect(compile('components', 'schemas', 'AccountingVendorInput')(given)).toBe(isGood)
})
