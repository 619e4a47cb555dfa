/** The forms of a request body, read back by an independent parser. */
import { expect, test } from 'vitest'
import type { AppRequestBody, MultipartPart } from '../../src/definition/steps.ts'
import { encodeBody } from '../../src/outbound/request-body.ts'

const encode = (body: AppRequestBody) => encodeBody({ method: 'POST', path: '/', ...body })

test.each<[string, AppRequestBody, { contentType: string; body: unknown } | undefined]>([
  ['nothing', {}, undefined],
  [
    'JSON',
    { body: { total: '1.10' } },
    { contentType: 'application/json', body: '{"total":"1.10"}' },
  ],
  ['JSON null', { body: null }, { contentType: 'application/json', body: 'null' }],
  [
    'a form',
    { form: { name: 'Quay & Co', 'line[]': ['1', '2'], none: [] } },
    {
      contentType: 'application/x-www-form-urlencoded',
      body: 'name=Quay+%26+Co&line%5B%5D=1&line%5B%5D=2',
    },
  ],
  [
    'XML',
    { text: { contentType: 'application/xml', content: '<a>é</a>' } },
    { contentType: 'application/xml', body: '<a>é</a>' },
  ],
])('encodes %s', (_name, body, expected) => {
  expect(encode(body)).toEqual(expected)
})

test('a multipart form has the values and files that a server reads', async () => {
  const bytes = new Uint8Array([0, 13, 10, 255])
  const multipart: readonly MultipartPart[] = [
    { name: 'note "1"', value: 'line 1\r\n--form-' },
    { name: 'file', filename: 'r"\r\né.bin', contentType: 'application/pdf', content: bytes },
    { name: 'file', filename: 'text.csv', contentType: 'text/csv', content: 'é;1' },
  ]
  const encoded = encode({ multipart })
  const form = await new Response(encoded?.body ?? null, {
    headers: { 'content-type': encoded?.contentType ?? '' },
  }).formData()
  expect([...form.keys()]).toEqual(['note "1"', 'file', 'file'])
  expect(form.get('note "1"')).toBe('line 1\r\n--form-')
  // Safe: both parts have a filename.
  const [pdf, csv] = form.getAll('file') as File[]
  expect(pdf).toMatchObject({ name: 'r"\r\né.bin', type: 'application/pdf' })
  expect(new Uint8Array((await pdf?.arrayBuffer()) ?? [])).toEqual(bytes)
  expect(csv).toMatchObject({ name: 'text.csv', type: 'text/csv' })
  expect(await csv?.text()).toBe('é;1')
})

test('a content type cannot add a line to its part', () => {
  const part = { name: 'file', filename: 'a', contentType: 'text/csv\r\nx: y', content: '' }
  expect(() => encode({ multipart: [part] })).toThrow(TypeError)
})
