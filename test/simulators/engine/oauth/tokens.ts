/** Codes, access tokens and refresh tokens: issue, expiry, rotation and revocation. */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { IntrospectedToken, IssuedTokens, OAuthPolicy } from './policy.ts'

/** What a user has allowed a client. */
export interface Grant {
  readonly accountId: string
  readonly clientId: string
  readonly scopes: readonly string[]
  isRevoked: boolean
}

interface RefreshToken {
  readonly text: string
  readonly grant: Grant
  readonly issuedAtMs: number
  expiresAtMs: number
  /** The time at which a newer token replaced this one. */
  replacedAtMs?: number
  /** Whether its replacement has been used, which can end its grace. */
  isReplacementUsed?: boolean
  readonly replaces: RefreshToken | undefined
}

export interface PendingCode {
  readonly grant: Grant
  readonly redirectUri: string
  readonly codeChallenge: string | undefined
  readonly expiresAtMs: number
}

export type AccessTokenState = Grant | 'unknown' | 'expired' | 'revoked'

export interface Tokens {
  createCode(code: Omit<PendingCode, 'expiresAtMs'>): string
  /** A code works once; undefined: unknown, used or expired. */
  redeemCode(code: string): PendingCode | undefined
  issue(grant: Grant): IssuedTokens
  /** Undefined: the refresh token is not accepted. */
  refresh(text: string, clientId: string): IssuedTokens | undefined
  stateOf(accessToken: string): AccessTokenState
  /** Undefined: the access or refresh token is unknown, expired, replaced or revoked. */
  introspect(token: string): IntrospectedToken | undefined
  /** Revokes the grant of an access or refresh token. @returns whether the token exists */
  revoke(token: string, clientId: string): boolean
  /** Revokes what was granted for an account, or everything, as a user does who disconnects the client. */
  revokeGrants(accountId?: string): void
  /** Makes the access tokens of an account, or all, expire now. */
  expireAccessTokens(accountId?: string): void
}

const randomText = (): string => randomBytes(24).toString('base64url')

export const createTokens = (clock: Pick<Clock, 'steadyMs'>, policy: OAuthPolicy): Tokens => {
  const codes = new Map<string, PendingCode>()
  const accessTokens = new Map<string, { readonly grant: Grant; expiresAtMs: number }>()
  const refreshTokens = new Map<string, RefreshToken>()
  const { accessTokenSeconds, refreshTokenSeconds } = policy

  const issueAccess = (
    grant: Grant,
    refreshToken: RefreshToken | undefined,
    type: IssuedTokens['grant'],
  ): IssuedTokens => {
    const accessToken = randomText()
    accessTokens.set(accessToken, {
      grant,
      expiresAtMs: clock.steadyMs() + accessTokenSeconds * 1000,
    })
    const { accountId, scopes } = grant
    const lifetimes = { accessTokenSeconds, refreshTokenSeconds }
    return {
      accessToken,
      refreshToken: refreshToken?.text,
      ...lifetimes,
      accountId,
      scopes,
      grant: type,
    }
  }

  const createRefreshToken = (grant: Grant, replaces?: RefreshToken): RefreshToken => {
    const issuedAtMs = clock.steadyMs()
    const expiresAtMs = issuedAtMs + refreshTokenSeconds * 1000
    const token = { text: randomText(), grant, issuedAtMs, expiresAtMs, replaces }
    refreshTokens.set(token.text, token)
    return token
  }

  const isWithinGrace = ({ replacedAtMs, isReplacementUsed = false }: RefreshToken): boolean => {
    if (replacedAtMs === undefined) return true
    const { graceMs = 0, graceEndsOnUse = false } = policy.refresh ?? {}
    return clock.steadyMs() < replacedAtMs + graceMs && !(graceEndsOnUse && isReplacementUsed)
  }

  /** The refresh token for the next response: the same token with a new lifetime, or a new token. */
  const nextToken = (token: RefreshToken): RefreshToken => {
    const nowMs = clock.steadyMs()
    if (nowMs - token.issuedAtMs < (policy.refresh?.rotatesAfterMs ?? 0)) {
      token.expiresAtMs = nowMs + refreshTokenSeconds * 1000
      return token
    }
    token.replacedAtMs ??= nowMs
    if (token.replaces) token.replaces.isReplacementUsed = true
    return createRefreshToken(token.grant, token)
  }

  return {
    createCode: (code) => {
      const text = randomText()
      codes.set(text, { ...code, expiresAtMs: clock.steadyMs() + policy.codeSeconds * 1000 })
      return text
    },
    redeemCode: (text) => {
      const code = codes.get(text)
      codes.delete(text)
      return code && code.expiresAtMs > clock.steadyMs() ? code : undefined
    },
    issue: (grant) => {
      const refreshToken = policy.refresh ? createRefreshToken(grant) : undefined
      return issueAccess(grant, refreshToken, 'authorization_code')
    },
    refresh: (text, clientId) => {
      const token = refreshTokens.get(text)
      if (token === undefined || token.grant.clientId !== clientId) return undefined
      if (token.grant.isRevoked || token.expiresAtMs <= clock.steadyMs()) return undefined
      if (isWithinGrace(token)) return issueAccess(token.grant, nextToken(token), 'refresh_token')
      if (policy.refresh?.reuse === 'revokes-grant') token.grant.isRevoked = true
      return undefined
    },
    stateOf: (text) => {
      const token = accessTokens.get(text)
      if (token === undefined) return 'unknown'
      if (token.grant.isRevoked) return 'revoked'
      return token.expiresAtMs <= clock.steadyMs() ? 'expired' : token.grant
    },
    introspect: (token) => {
      const access = accessTokens.get(token)
      const refresh = refreshTokens.get(token)
      const found = access ?? refresh
      const expiresInSeconds = Math.floor(((found?.expiresAtMs ?? 0) - clock.steadyMs()) / 1000)
      if (!found || found.grant.isRevoked || expiresInSeconds <= 0) return undefined
      if (refresh && !isWithinGrace(refresh)) return undefined
      const { accountId, clientId, scopes } = found.grant
      const use = access ? 'access_token' : 'refresh_token'
      return { token, use, expiresInSeconds, accountId, clientId, scopes }
    },
    revoke: (text, clientId) => {
      const grant = (accessTokens.get(text) ?? refreshTokens.get(text))?.grant
      if (grant?.clientId !== clientId) return false
      grant.isRevoked = true
      return true
    },
    revokeGrants: (accountId) => {
      for (const { grant } of [...refreshTokens.values(), ...accessTokens.values()])
        if ((accountId ?? grant.accountId) === grant.accountId) grant.isRevoked = true
    },
    expireAccessTokens: (accountId) => {
      for (const token of accessTokens.values())
        if ((accountId ?? token.grant.accountId) === token.grant.accountId)
          token.expiresAtMs = clock.steadyMs()
    },
  }
}
