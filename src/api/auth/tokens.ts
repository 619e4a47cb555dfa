/**
 * User tokens: JSON Web Tokens that authenticate an end user's frontend. This service issues and verifies
 * them, as RFC 8725 recommends: one algorithm, an explicit type, only its own keys, every claim required.
 */
import { randomUUID } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../../store/database/clock.ts'
import { MAX_TOKEN_LIFETIME_MS, type SigningKeys } from '../../store/secrets/signing-keys.ts'

/** The end user that a token is issued for. */
export interface UserTokenSubject {
  readonly environmentId: string
  readonly userId: string
}

/** The end user and expiry of a valid token. */
export interface TokenOwner extends UserTokenSubject {
  /** Seconds since 1970. */
  readonly expiresAt: number
}

export interface IssuedToken {
  readonly token: string
  /** Seconds since 1970. */
  readonly expiresAt: number
}

export interface UserTokens {
  issue(subject: UserTokenSubject): Promise<IssuedToken>
  /** `expired`: it was valid once · `invalid`: not issued by this service, or not for this purpose. */
  verify(token: string): Promise<TokenOwner | 'expired' | 'invalid'>
}

export interface UserTokensOptions {
  readonly signingKeys: SigningKeys
  /** The database clock, so that differing host clocks do not invalidate the tokens of other processes. */
  readonly clock: Clock
  /** Lifetime from issue to expiry: 60 to 86,400. */
  readonly lifetimeSeconds: number
}

// Fully specified, unlike `EdDSA`: https://www.rfc-editor.org/rfc/rfc9864#section-2.2
const ALGORITHM = 'Ed25519'
// RFC 8725, section 3.11: an explicit type keeps other kinds of tokens from being accepted.
const TYPE = 'trunkline-user+jwt'
const ISSUER = 'trunkline'
const AUDIENCE = 'trunkline/user'
const CLOCK_TOLERANCE_SECONDS = 10

/** Whether a bearer token has the three parts of a user token; an API key has one. */
export const isUserToken = (text: string): boolean => text.split('.', 4).length === 3

/**
 * Whether each part of a token is the canonical base64url encoding of its bytes. Decoders ignore the unused
 * bits of the last character (RFC 4648, section 3.5), so one token would otherwise have several spellings.
 */
const isCanonical = (token: string): boolean =>
  token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)

export const createUserTokens = ({
  signingKeys,
  clock,
  lifetimeSeconds,
}: UserTokensOptions): UserTokens => ({
  issue: async ({ environmentId, userId }) => {
    const { id, privateKey } = await signingKeys.current()
    const issuedAt = Math.floor(clock.nowMs() / 1000)
    const expiresAt = issuedAt + lifetimeSeconds
    const token = await new SignJWT({ env: environmentId })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: id })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(userId)
      .setJti(randomUUID())
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(privateKey)
    return { token, expiresAt }
  },
  verify: async (token) => {
    if (!isCanonical(token)) return 'invalid'
    // `kid` selects one of our keys; other key headers (`jwk`, `jku`, `x5c`) are ignored.
    const findKey = async ({ kid }: { readonly kid?: unknown }) => {
      const key = typeof kid === 'string' ? await signingKeys.verifying(kid) : undefined
      if (key === undefined) throw new errors.JWKSNoMatchingKey()
      return key
    }
    try {
      const { payload } = await jwtVerify(token, findKey, {
        algorithms: [ALGORITHM],
        typ: TYPE,
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['sub', 'env', 'jti', 'iat', 'exp'],
        maxTokenAge: MAX_TOKEN_LIFETIME_MS / 1000,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(clock.nowMs()),
      })
      const { env, sub, exp } = payload
      if (typeof env !== 'string' || typeof sub !== 'string' || exp === undefined) return 'invalid'
      return { environmentId: env, userId: sub, expiresAt: exp }
    } catch (error) {
      // Claims are checked after the signature, so only our own tokens are reported as expired.
      if (error instanceof errors.JWTExpired) return 'expired'
      if (error instanceof errors.JOSEError) return 'invalid'
      throw error
    }
  },
})
