/** Every kind of API caller, relative to one environment and one of its end users. */
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { decodeProtectedHeader, SignJWT } from 'jose'
import { generateApiKey } from '../../../src/store/accounts/api-key.ts'
import { createKey, revokeKey } from '../keys.ts'
import type { TestService } from '../service.ts'
import { testVault } from '../vault.ts'
import type { FilledEnvironment, Ids } from './harness.ts'

/** The relation of a valid caller to the requested objects. */
export type Relation = 'own' | 'other user' | 'elsewhere'

export interface Caller {
  readonly name: string
  /** `anonymous`: without a valid key or token. */
  readonly kind: 'anonymous' | 'key' | 'user'
  readonly relation: Relation
  readonly authorization: string | undefined
  /** Ids of the caller's own objects. */
  readonly ids: Ids
}

export interface MatrixEnvironments {
  readonly own: FilledEnvironment
  /** The other environment of the same organisation. */
  readonly sibling: FilledEnvironment
  /** An environment of another organisation. */
  readonly foreign: FilledEnvironment
}

const bearerHeader = (secret: string): string => `Bearer ${secret}`
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Tokens of an end user that are each wrong in one respect. */
const createWrongTokens = async (
  service: TestService,
  { token, ids, environmentId }: FilledEnvironment,
) => {
  const { kid = '', ...header } = decodeProtectedHeader(token)
  const row = await service.database.prisma.signingKey.findUniqueOrThrow({ where: { id: kid } })
  const jwk = JSON.parse(testVault.open({ kind: 'signing-key', id: kid }, row.sealedKey))
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: 'trunkline',
    aud: 'trunkline/user',
    jti: 'j',
    env: environmentId,
    sub: ids.users ?? '',
    iat: now,
    exp: now + 600,
  }
  const sign = (input: object, signingKey = key) =>
    new SignJWT({ ...claims, ...input })
      .setProtectedHeader({ ...header, alg: 'Ed25519', kid })
      .sign(signingKey)
  const confused = `${encode({ ...header, alg: 'HS256', kid })}.${encode(claims)}`
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' })
  return {
    // Built like the others, but valid: proves that each of the others is rejected for its one fault.
    right: await sign({}),
    expired: await sign({ iat: now - 120, exp: now - 60 }),
    forged: await sign({}, generateKeyPairSync('ed25519').privateKey),
    confused: `${confused}.${createHmac('sha256', publicKey).update(confused).digest('base64url')}`,
  }
}

/** The columns of the matrix. */
export const createCallers = async (
  service: TestService,
  { own, sibling, foreign }: MatrixEnvironments,
): Promise<readonly Caller[]> => {
  const revoked = await createKey(service.database, own.environmentId)
  await revokeKey(service, revoked)
  const { right, expired, forged, confused } = await createWrongTokens(service, own)
  const anonymousCaller = (name: string, authorization: string | undefined): Caller => ({
    name,
    authorization,
    kind: 'anonymous',
    relation: 'own',
    ids: own.ids,
  })
  const validCaller = (
    name: string,
    kind: 'key' | 'user',
    relation: Relation,
    [secret, ids]: readonly [string, Ids],
  ): Caller => ({ name, kind, relation: relation, authorization: bearerHeader(secret), ids })
  return [
    anonymousCaller('no key', undefined),
    anonymousCaller('malformed header', `Basic ${own.key}`),
    anonymousCaller('wrong key', bearerHeader(generateApiKey('development'))),
    anonymousCaller('revoked key', bearerHeader(revoked)),
    anonymousCaller('expired token', bearerHeader(expired)),
    anonymousCaller('forged token', bearerHeader(forged)),
    anonymousCaller('alg-confused token', bearerHeader(confused)),
    validCaller('own key', 'key', 'own', [own.key, own.ids]),
    validCaller('own token', 'user', 'own', [right, own.ids]),
    validCaller('other user’s token', 'user', 'other user', [own.other.token, own.other.ids]),
    validCaller('key of the other environment', 'key', 'elsewhere', [sibling.key, sibling.ids]),
    validCaller('key of another organisation', 'key', 'elsewhere', [foreign.key, foreign.ids]),
    validCaller('token of another environment', 'user', 'elsewhere', [sibling.token, sibling.ids]),
  ]
}
