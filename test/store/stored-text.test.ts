/** Any text from an app is stored: U+FFFD replaces what PostgreSQL cannot hold, and all else is unchanged. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { sampleRecord } from '../support/sample.ts'
import { accounts, CREDENTIAL, storeHarness } from './store-harness.ts'

const harness = storeHarness()
const { apply, takeLog, show } = harness

describe('characters that PostgreSQL cannot hold', () => {
  const expectedText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')
  const hostile = fc.string({
    unit: fc.constantFrom(
      '\\',
      'u',
      '0',
      'd',
      'D',
      '8',
      '"',
      '\0',
      '\u0001',
      '\ud800',
      '\udbff',
      '\udc00',
      '\udfff',
      '😀',
      '\ufffd',
      'a',
      '\n',
    ),
    maxLength: 12,
  })

  test('become U+FFFD in text and in JSON, and all others stay', async () => {
    const known = [
      'a\0b',
      '\ud800',
      '\udfff\ud800',
      '😀',
      '\\u0000',
      '\\\\u0000',
      '\\\0',
      '\\ud800',
      '"\\u0000"',
      '\\',
      '\u0001\u001f\u007f',
      '\u2028\u2029',
    ]
    const texts = [...known, ...fc.sample(hostile, { seed: 20_261_121, numRuns: 400 })]
    const orders = catalogue.get('commerce/orders')
    const products = catalogue.get('commerce/products')
    const put = async (resource: Resource, field: string, wrap: (text: string) => unknown) => {
      const rows = texts.map((text, n) => ({
        ...sampleRecord(CREDENTIAL, resource, n * 3 + 1),
        [field]: wrap(text),
      }))
      await apply(rows, resource, 'all')
      // Once stored, the text is stable: it does not change with every listing.
      expect(await apply(rows, resource, 'all')).toEqual({ created: 0, updated: 0, deleted: 0 })
      const log = await takeLog()
      for (const [n, text] of texts.entries()) {
        const shown = await show(resource, String(n * 3 + 1))
        expect(shown[field], JSON.stringify(text)).toEqual(wrap(expectedText(text)))
        expect(log.find(({ id }) => id === shown.id)?.record).toEqual(shown)
      }
    }
    await put(accounts, 'accountName', (text) => text)
    await put(accounts, 'remoteFields', (text) => ({ [`key ${text}`]: [text, { text }] }))
    await put(products, 'tags', (text) => [text, 'plain', text])
    await put(orders, 'customer', (text) => ({
      customerId: null,
      firstName: text,
      lastName: null,
      email: null,
      phone: null,
    }))
  })

  test('do not keep a record from being found by its remote id', async () => {
    const remoteId = 'a\0b'
    const id = recordId(CREDENTIAL, accounts.topic, remoteId)
    await apply([{ ...sampleRecord(CREDENTIAL, accounts, 1), id, remoteId }])
    expect(await show(accounts, id)).toMatchObject({ id, remoteId: 'a\ufffdb' })
  })
})
