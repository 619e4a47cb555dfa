/** The OpenAPI document and the service accept the same input: the same bounds, the same values. */
import { describe, expect, test } from 'vitest'
import {
  MAX_INPUT_ENTRIES,
  MAX_INPUT_ID,
  MAX_INPUT_TEXT,
} from '../../src/definition/kinds/limits.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { readInput } from '../../src/query/input.ts'
import { inputFieldsOf, parseWrite, updatableFields } from '../../src/query/write-request.ts'
import { type OpenApiDocument, openapiText, schemaCompiler } from '../support/openapi.ts'

// openapi.test.ts proves that the document has this type.
const document = JSON.parse(openapiText) as OpenApiDocument
const compile = schemaCompiler(document)

const isAccepted = (read: () => unknown): boolean => {
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
    '%s accepts an object as remoteFields, and nothing else',
    (typeName, resource) => {
      const fits = compile('components', 'schemas', `${typeName}Input`)
      const required = Object.fromEntries(
        Object.entries(inputFieldsOf(resource)).flatMap(([name, field]) =>
          field.required ? [[name, 'X']] : [],
        ),
      )
      for (const remoteFields of [{}, { a: [1] }, null, 'x', 5, true, []]) {
        const input = { ...required, remoteFields }
        const isValidInput = isAccepted(() => parseWrite(inputFieldsOf(resource), input))
        expect(fits(input), JSON.stringify(remoteFields)).toBe(isValidInput)
      }
    },
  )

  test.each(written.map((resource) => [resource.typeName, resource] as const))(
    '%s is updated without its required fields, but not with null for one of them',
    (typeName, resource) => {
      const fits = compile('components', 'schemas', `${typeName}UpdateInput`)
      const required = Object.entries(resource.fields).filter(([, field]) => field.required)
      const inputs = [{}, { remoteFields: {} }, { id: '1' }]
      for (const input of [...inputs, ...required.map(([name]) => ({ [name]: null }))]) {
        const isValidInput = isAccepted(() => parseWrite(updatableFields(resource), input))
        expect(fits(input), JSON.stringify(input)).toBe(isValidInput)
        expect(isValidInput).toBe(inputs.indexOf(input) === 0 || inputs.indexOf(input) === 1)
      }
    },
  )
})

test.each<[string, object, boolean]>([
  ['an enum value of the contract', { addresses: [{ ...address, addressType: 'BILLING' }] }, true],
  [
    'an enum value as responses show it',
    { addresses: [{ ...address, addressType: 'Billing' }] },
    true,
  ],
  ['an unknown enum value', { addresses: [{ ...address, addressType: 'Home' }] }, false],
  ['a type of telephone number', { phoneNumbers: [{ ...phone, phoneNumberType: 'Fax' }] }, true],
  [
    'an unknown type of telephone number',
    { phoneNumbers: [{ ...phone, phoneNumberType: 'Pager' }] },
    false,
  ],
  ['a text of the maximum length', { email: 'x'.repeat(MAX_INPUT_TEXT) }, true],
  ['a longer text', { email: 'x'.repeat(MAX_INPUT_TEXT + 1) }, false],
  ['an id of the maximum length', { companyId: 'x'.repeat(MAX_INPUT_ID) }, true],
  ['a longer id', { companyId: 'x'.repeat(MAX_INPUT_ID + 1) }, false],
  [
    'a list of the maximum length',
    { phoneNumbers: Array(MAX_INPUT_ENTRIES).fill({ ...phone, phoneNumberType: 'FAX' }) },
    true,
  ],
  [
    'a longer list',
    { phoneNumbers: Array(MAX_INPUT_ENTRIES + 1).fill({ ...phone, phoneNumberType: 'FAX' }) },
    false,
  ],
])('%s is the same in the document and in the service', (_what, fields, isValid) => {
  const input = { ...vendor, ...fields }
  const resource = catalogue.get('accounting/vendors')
  expect(isAccepted(() => readInput(resource.fields, input))).toBe(isValid)
  expect(compile('components', 'schemas', 'AccountingVendorInput')(input)).toBe(isValid)
})
