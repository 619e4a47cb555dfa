/** Custom values of raw records: their types, and what is reported. */
import { expect, test } from 'vitest'
import { type CustomFieldType, createCustomReader } from '../../src/definition/custom-field.ts'

const readField = (type: CustomFieldType, value: unknown) => {
  const problems: string[] = []
  const reader = createCustomReader([{ name: 'field', type, remoteField: 'a.b' }])

  const report = ({ path }: { readonly path: string }) => void problems.push(path)
  const values = reader({ a: { b: value } }, { credentialId: '', report })
  return { json: JSON.stringify(values.field), problems }
}

test.each([
  ['text', 5, '"5"'],
  ['number', '12345678901234567890.10', '12345678901234567890.10'],
  ['decimal', '12345678901234567890.10', '"12345678901234567890.10"'],
  ['decimal', 2.5, '"2.5"'],
  ['boolean', true, 'true'],
  ['date', '2026-03-02T23:30:00-05:00', '"2026-03-02T00:00:00.000Z"'],
  ['timestamp', '2026-03-02T23:30:00-05:00', '"2026-03-03T04:30:00.000Z"'],
  ['texts', ['a', 1, null], '["a","1"]'],
  ['texts', undefined, '[]'],
  ['number', undefined, 'null'],
] as const)('the custom field type %s accepts %o', (type, value, json) => {
  expect(readField(type, value)).toEqual({ json, problems: [] })
})

test.each([
  ['text', {}],
  ['number', 'many'],
  ['boolean', 'yes'],
  ['date', 'soon'],
] as const)('the custom field type %s reports %o and reads null', (type, value) => {
  expect(readField(type, value)).toEqual({ json: 'null', problems: ['customFields.field'] })
})
