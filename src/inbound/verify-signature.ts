/** Verifies that a delivery comes from the app, by the scheme that the connector declares. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type {
  HmacSignature,
  SharedToken,
  SignatureScheme,
  SignedPart,
  StandardSignature,
  TimestampedSignature,
} from '../definition/inbound.ts'
import { isObject } from '../definition/value.ts'

/** A delivery as it arrived. Header names are in lower case. */
export interface RawDelivery {
  readonly method: string
  /** Our address as the app knows it, with the query of the request. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

// Standard Webhooks: 5 minutes.
const STANDARD_TOLERANCE_SECONDS = 300
// Two secrets sign during a rotation. Further signatures only cost time.
const MAX_SIGNATURES = 8

/** Compares two texts in a time that does not depend on where they differ. */
const isEqual = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))

/** Whether any is equal; all are compared. */
const isAnyEqual = (received: readonly string[], expected: readonly string[]): boolean =>
  received
    .slice(0, MAX_SIGNATURES)
    .flatMap((one) => expected.map((other) => isEqual(one, other)))
    .some(Boolean)

const isRecent = (
  text: string | undefined,
  unitMs: number,
  toleranceSeconds: number,
  nowMs: number,
) =>
  text !== undefined &&
  /^\d{1,15}$/.test(text) &&
  Math.abs(nowMs - Number(text) * unitMs) <= toleranceSeconds * 1000

type Hmac = (secret: string) => string

const isHmac = (
  {
    header,
    encoding,
    prefix = '',
    hash: algorithm = 'sha256',
    signed = ['body'],
    timestamp,
  }: HmacSignature,
  { method, url, headers, body }: RawDelivery,
  secrets: readonly string[],
  nowMs: number,
): boolean => {
  const received = headers[header]
  const time = timestamp && headers[timestamp.header]
  if (received === undefined || !received.startsWith(prefix)) return false
  if (timestamp) {
    const unitMs = timestamp.unit === 's' ? 1000 : 1
    if (!isRecent(time, unitMs, timestamp.toleranceSeconds, nowMs)) return false
  }
  const parts: Readonly<Record<SignedPart, string | Buffer>> = {
    method,
    url,
    body,
    timestamp: time ?? '',
  }
  const sign: Hmac = (secret) => {
    const hmac = createHmac(algorithm, secret)
    for (const part of signed) hmac.update(parts[part])
    return hmac.digest(encoding)
  }
  const text = received.slice(prefix.length)
  return isAnyEqual([encoding === 'hex' ? text.toLowerCase() : text], secrets.map(sign))
}

const isTimestamped = (
  { header, toleranceSeconds }: TimestampedSignature,
  { headers, body }: RawDelivery,
  secrets: readonly string[],
  nowMs: number,
): boolean => {
  const pairs = (headers[header] ?? '').split(',').map((pair) => pair.trim().split('=', 2))
  const time = pairs.find(([name]) => name === 't')?.[1]
  if (!isRecent(time, 1000, toleranceSeconds, nowMs)) return false
  const received = pairs.flatMap(([name, value]) => (name === 'v1' && value ? [value] : []))
  const sign: Hmac = (secret) =>
    createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')
  return isAnyEqual(received, secrets.map(sign))
}

const SECRET_PREFIX = 'whsec_'

const isStandard = (
  { toleranceSeconds = STANDARD_TOLERANCE_SECONDS, key = 'base64' }: StandardSignature,
  { headers, body }: RawDelivery,
  secrets: readonly string[],
  nowMs: number,
): boolean => {
  const id = headers['webhook-id']
  const time = headers['webhook-timestamp']
  if (id === undefined || !isRecent(time, 1000, toleranceSeconds, nowMs)) return false
  const keyOf = (secret: string): Buffer =>
    key === 'text'
      ? Buffer.from(secret)
      : Buffer.from(
          secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret,
          'base64',
        )
  const sign: Hmac = (secret) =>
    createHmac('sha256', keyOf(secret)).update(`${id}.${time}.`).update(body).digest('base64')
  const received = (headers['webhook-signature'] ?? '')
    .split(' ')
    .flatMap((one) => (one.startsWith('v1,') ? [one.slice('v1,'.length)] : []))
  return isAnyEqual(received, secrets.map(sign))
}

const tokenOf = ({ in: place }: SharedToken, { headers }: RawDelivery, body: unknown): unknown => {
  if ('header' in place) return headers[place.header]
  return isObject(body) ? body[place.body] : undefined
}

/**
 * Whether a delivery is signed with one of the secrets, and recently if the scheme signs its time. An empty secret
 * signs nothing.
 * @param body the parsed body, for a token in it
 */
export const isSigned = (
  scheme: SignatureScheme,
  delivery: RawDelivery,
  body: unknown,
  { secrets: offered, nowMs }: { readonly secrets: readonly string[]; readonly nowMs: number },
): boolean => {
  const secrets = offered.filter((secret) => secret !== '')
  switch (scheme.type) {
    case 'hmac':
      return isHmac(scheme, delivery, secrets, nowMs)
    case 'timestamped':
      return isTimestamped(scheme, delivery, secrets, nowMs)
    case 'standardWebhooks':
      return isStandard(scheme, delivery, secrets, nowMs)
    case 'token': {
      const token = tokenOf(scheme, delivery, body)
      return typeof token === 'string' && isAnyEqual([token], secrets)
    }
    case 'basic': {
      const received = delivery.headers.authorization ?? ''
      const basic = (secret: string): string =>
        Buffer.from(`${scheme.user}:${secret}`).toString('base64')
      // RFC 9110, section 11.1: the scheme is a word in any case.
      return (
        /^basic /i.test(received) &&
        isAnyEqual([received.slice('basic '.length).trim()], secrets.map(basic))
      )
    }
  }
}
