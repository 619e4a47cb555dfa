/** Signature schemes, against signatures computed with node:crypto as the vendors document them. */
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { SignatureScheme } from '../../src/definition/inbound.ts'
import { isSigned } from '../../src/inbound/verify-signature.ts'

const NOW_MS = Date.parse('2026-11-23T01:00:00Z')
const NOW = String(NOW_MS / 1000)
const URL = 'https://api.example.com/webhooks/app/5b0e8f6a-2c41-4d7e-9a33-0c6f1d2e4b85?x=1'
const TEXT = '{"events":[{"id":"1","name":"Zo\\u00eb – ☕"}]}  '
const BODY = Buffer.from(TEXT)
const SECRET = 'a secret: ünïcode'
const KEY = Buffer.alloc(32, 9)
const STANDARD_SECRET = `whsec_${KEY.toString('base64')}`

const hmac = (
  text: string,
  encoding: 'hex' | 'base64',
  secret: string | Buffer = SECRET,
  hash = 'sha256',
): string => createHmac(hash, secret).update(text).digest(encoding)

interface Vector {
  readonly name: string
  readonly scheme: SignatureScheme
  readonly secret?: string
  /** The headers of a delivery that was signed at this time. */
  headers(time: string): Readonly<Record<string, string>>
  /** The unit of the signed time; undefined: the time is not signed. */
  readonly unit?: 's' | 'ms'
  readonly isBodySigned?: false
}

const vectors: readonly Vector[] = [
  {
    name: 'Xero, QuickBooks, Shopify, WooCommerce: base64 of the body',
    scheme: { type: 'hmac', header: 'x-xero-signature', encoding: 'base64' },
    headers: () => ({ 'x-xero-signature': hmac(TEXT, 'base64') }),
  },
  {
    name: 'hex of the body with a prefix',
    scheme: { type: 'hmac', header: 'x-hub-signature-256', encoding: 'hex', prefix: 'sha256=' },
    headers: () => ({ 'x-hub-signature-256': `sha256=${hmac(TEXT, 'hex')}` }),
  },
  {
    name: 'SHA-1 in capital letters',
    scheme: { type: 'hmac', header: 'x-signature', encoding: 'hex', hash: 'sha1' },
    headers: () => ({ 'x-signature': hmac(TEXT, 'hex', SECRET, 'sha1').toUpperCase() }),
  },
  {
    name: 'Square: the address and the body',
    scheme: {
      type: 'hmac',
      header: 'x-square-hmacsha256-signature',
      encoding: 'base64',
      signed: ['url', 'body'],
    },
    headers: () => ({ 'x-square-hmacsha256-signature': hmac(URL + TEXT, 'base64') }),
  },
  {
    name: 'HubSpot v3: method, address, body and time',
    scheme: {
      type: 'hmac',
      header: 'x-hubspot-signature-v3',
      encoding: 'base64',
      signed: ['method', 'url', 'body', 'timestamp'],
      timestamp: { header: 'x-hubspot-request-timestamp', unit: 'ms', toleranceSeconds: 300 },
    },
    unit: 'ms',
    headers: (time) => ({
      'x-hubspot-signature-v3': hmac(`POST${URL}${TEXT}${time}`, 'base64'),
      'x-hubspot-request-timestamp': time,
    }),
  },
  {
    name: 'Stripe: t and v1, also during a rotation',
    scheme: { type: 'timestamped', header: 'stripe-signature', toleranceSeconds: 300 },
    unit: 's',
    headers: (time) => ({
      'stripe-signature': `t=${time},v1=${hmac(`${time}.${TEXT}`, 'hex', 'another')}, v1=${hmac(`${time}.${TEXT}`, 'hex')},v0=0`,
    }),
  },
  {
    name: 'Standard Webhooks, also during a rotation',
    scheme: { type: 'standardWebhooks' },
    secret: STANDARD_SECRET,
    unit: 's',
    headers: (time) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': time,
      'webhook-signature': `v1,${hmac(`msg_1.${time}.${TEXT}`, 'base64', 'another')} v1,${hmac(`msg_1.${time}.${TEXT}`, 'base64', KEY)}`,
    }),
  },
  {
    name: 'BigCommerce: Standard Webhooks with the text of the client secret',
    scheme: { type: 'standardWebhooks', key: 'text' },
    unit: 's',
    headers: (time) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': time,
      'webhook-signature': `v1,${hmac(`msg_1.${time}.${TEXT}`, 'base64')}`,
    }),
  },
  {
    name: 'a token in a header',
    scheme: { type: 'token', in: { header: 'x-token' } },
    isBodySigned: false,
    headers: () => ({ 'x-token': SECRET }),
  },
  {
    name: 'Pipedrive: Basic',
    scheme: { type: 'basic', user: 'trunkline' },
    isBodySigned: false,
    headers: () => ({
      authorization: `Basic ${Buffer.from(`trunkline:${SECRET}`).toString('base64')}`,
    }),
  },
]

const timeIn = (unit: Vector['unit'], ms: number): string => String(unit === 'ms' ? ms : ms / 1000)

/** Verifies headers, by default with the body and the secret of the vector. */
const verifierOf =
  ({ scheme, secret = SECRET }: Vector) =>
  (
    sent: Readonly<Record<string, string>>,
    { body = BODY, secrets = [secret] }: { body?: Buffer; secrets?: readonly string[] } = {},
  ): boolean =>
    isSigned(scheme, { method: 'POST', url: URL, headers: sent, body }, undefined, {
      secrets,
      nowMs: NOW_MS,
    })

const signedNow = ({ headers, unit }: Vector) => headers(timeIn(unit, NOW_MS))

describe('accepts a delivery that is signed with one of the secrets', () => {
  test.each(vectors)('$name', (vector) => {
    const verify = verifierOf(vector)
    expect(verify(signedNow(vector))).toBe(true)
    expect(verify(signedNow(vector), { secrets: ['newer', vector.secret ?? SECRET] })).toBe(true)
  })
})

describe('rejects other secrets, none, and every header that is missing or changed', () => {
  test.each(vectors)('$name', (vector) => {
    const verify = verifierOf(vector)
    const now = signedNow(vector)
    for (const secrets of [['a third secret'], [], ['']])
      expect(verify(now, { secrets })).toBe(false)
    for (const name of Object.keys(now)) {
      const { [name]: _, ...rest } = now
      expect(verify(rest), `without ${name}`).toBe(false)
      for (const other of ['', 'x'.repeat(5000)])
        expect(verify({ ...rest, [name]: other }), `${name}: ${other}`).toBe(false)
    }
  })
})

describe('rejects a body that differs in one byte or in its form', () => {
  test.each(vectors.filter(({ isBodySigned = true }) => isBodySigned))('$name', (vector) => {
    const verify = verifierOf(vector)
    const others = [BODY.subarray(0, -1), Buffer.from(JSON.stringify(JSON.parse(TEXT)))]
    for (const body of others) expect(verify(signedNow(vector), { body })).toBe(false)
  })
})

describe('rejects a delivery more than five minutes old, or ahead', () => {
  test.each(vectors.filter(({ unit }) => unit))('$name', (vector) => {
    const isAccepted = (ms: number) =>
      verifierOf(vector)(vector.headers(timeIn(vector.unit, NOW_MS + ms)))
    expect([-300_000, 300_000].map(isAccepted)).toEqual([true, true])
    expect([-301_000, 301_000].map(isAccepted)).toEqual([false, false])
  })
})

test('a token in the body is compared after the body is parsed', () => {
  const scheme: SignatureScheme = { type: 'token', in: { body: 'token' } }
  const delivery = { method: 'POST', url: URL, headers: {}, body: BODY }
  const options = { secrets: [SECRET], nowMs: Number(NOW) * 1000 }
  expect(isSigned(scheme, delivery, { token: SECRET }, options)).toBe(true)
  for (const body of [{ token: 'other' }, { token: [SECRET] }, {}, undefined, [SECRET]])
    expect(isSigned(scheme, delivery, body, options)).toBe(false)
})
