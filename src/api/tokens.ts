/**
 * User tokens: what one end user's frontend shows in place of an API key. JSON Web Tokens of our own
 * making and for our own reading, kept to RFC 8725: one algorithm, a type of their own, keys of ours
 * alone, every claim required.
 */
import { randomUUID } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { MAX_TOKEN_LIFETIME_MS, type SigningKeys } from '../store/signing-keys.ts'

/** Whom a token is for. */
export interface TokenSubject {
  readonly environmentId: string
  readonly userId: string
}

/** What a valid token stands for. */
export interface TokenOwner extends TokenSubject {
  /** Seconds since 1970. */
  readonly expiresAt: number
}

export interface IssuedToken {
  readonly token: string
  /** Seconds since 1970. */
  readonly expiresAt: number
}

export interface UserTokens {
  issue(subject: TokenSubject): Promise<IssuedToken>
  /** `expired`: it was valid once · `invalid`: it is not ours, or not for this. */
  verify(token: string): Promise<TokenOwner | 'expired' | 'invalid'>
}

export interface UserTokensOptions {
  readonly signingKeys: SigningKeys
  /** From its issue to its end: 60 to 86,400. */
  readonly lifetimeSeconds: number
}

// Fully specified, unlike EdDSA: https://www.rfc-editor.org/rfc/rfc9864#section-2.2
const ALGORITHM = 'Ed25519'
// RFC 8725, section 3.11: no other kind of token, of ours or anyone's, is taken for one of these.
const TYPE = 'trunkline-user+jwt'
const ISSUER = 'trunkline'
const AUDIENCE = 'trunkline/user'
const CLOCK_TOLERANCE_SECONDS = 10

/** Whether a bearer token has the form of a user token: three parts. An API key has one. */
export const isUserToken = (text: string): boolean => text.split('.', 4).length === 3

export const createUserTokens = ({
  signingKeys,
  lifetimeSeconds,
}: UserTokensOptions): UserTokens => ({
  issue: async ({ environmentId, userId }) => {
    const { id, privateKey } = await signingKeys.current()
    const issuedAt = Math.floor(Date.now() / 1000)
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
    // Of the header only `kid` is asked, and only which of our keys: `jwk`, `jku` and `x5c` say nothing.
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
      })
      const { env, sub, exp } = payload
      if (typeof env !== 'string' || typeof sub !== 'string' || exp === undefined) return 'invalid'
      return { environmentId: env, userId: sub, expiresAt: exp }
    } catch (error) {
      // Claims are read after the signature: only a token of ours is called expired.
      if (error instanceof errors.JWTExpired) return 'expired'
      if (error instanceof errors.JOSEError) return 'invalid'
      throw error
    }
  },
})
