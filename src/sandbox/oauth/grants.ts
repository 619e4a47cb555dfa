/**
 * The grants of the sandbox's authorization server: authorization codes with PKCE, short-lived access tokens and
 * rotating refresh tokens. A code or refresh token that is used twice revokes its grant (RFC 9700, section 2.2.2).
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Database } from '../../store/database/database.ts'
import {
  changeSandboxGrant,
  createSandboxGrant,
  getSandboxGrant,
  type SandboxGrant,
} from '../../store/sandbox/sandbox-grants.ts'

const CODE_MS = 60_000
export const ACCESS_TOKEN_SECONDS = 900

type Kind = 'code' | 'access' | 'refresh'
const PREFIXES: Readonly<Record<Kind, string>> = { code: 'sbc', access: 'sbo', refresh: 'sbr' }

const newSecret = (kind: Kind, id: string): string =>
  `${PREFIXES[kind]}_${id}_${randomBytes(24).toString('hex')}`

const SECRET = /^(sbc|sbo|sbr)_([0-9a-f]{24})_[0-9a-f]{48}$/

/** The id of the grant that a code or token names; undefined if it has another form. */
const grantOf = (kind: Kind, secret: string): string | undefined => {
  const [, prefix, id] = SECRET.exec(secret) ?? []
  return prefix === PREFIXES[kind] ? id : undefined
}

const hashOf = (secret: string): string => hash('sha256', secret, 'hex')

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

/** Whether a bearer token has the form of an access token of this server. */
export const isAccessToken = (token: string): boolean => grantOf('access', token) !== undefined

/** What a user of the sandbox allows, and the request that it answers. */
export interface Approval {
  readonly tenants: readonly string[]
  readonly redirectUri: string
  readonly challenge: string
}

/** Stores a grant. @returns its authorization code, which is valid for a minute */
export const createGrant = async (
  database: Database,
  nowMs: number,
  { tenants, redirectUri, challenge }: Approval,
): Promise<string> => {
  const id = randomBytes(12).toString('hex')
  const code = newSecret('code', id)
  await createSandboxGrant(database, id, {
    tenants,
    code: {
      hash: hashOf(code),
      redirectUri,
      challenge,
      expiresAtMs: nowMs + CODE_MS,
      isUsed: false,
    },
    refreshHash: null,
    accessTokens: [],
  })
  return code
}

/** Tokens, as the token endpoint returns them. */
export interface IssuedTokens {
  readonly accessToken: string
  readonly refreshToken: string
}

/** Issues tokens for a grant if `isAllowed`, and revokes the grant if not. */
const issueTokens = async (
  database: Database,
  nowMs: number,
  id: string,
  isAllowed: (grant: SandboxGrant) => boolean,
): Promise<IssuedTokens | undefined> => {
  const accessToken = newSecret('access', id)
  const refreshToken = newSecret('refresh', id)
  const changed = await changeSandboxGrant(database, id, (grant) => {
    if (!isAllowed(grant)) return 'revoked'
    const expiresAtMs = nowMs + ACCESS_TOKEN_SECONDS * 1000
    return {
      ...grant,
      code: { ...grant.code, isUsed: true },
      refreshHash: hashOf(refreshToken),
      accessTokens: [
        ...grant.accessTokens.filter((token) => token.expiresAtMs > nowMs),
        { hash: hashOf(accessToken), expiresAtMs },
      ],
    }
  })
  return changed === undefined || changed === 'revoked' ? undefined : { accessToken, refreshToken }
}

/** Exchanges an authorization code; undefined if it is invalid, which revokes its grant. */
export const exchangeCode = async (
  database: Database,
  nowMs: number,
  {
    code,
    redirectUri,
    verifier,
  }: { readonly code: string; readonly redirectUri: string; readonly verifier: string },
): Promise<IssuedTokens | undefined> => {
  const id = grantOf('code', code)
  if (id === undefined) return
  // RFC 7636, section 4.6.
  const challenge = hash('sha256', verifier, 'base64url')
  return issueTokens(
    database,
    nowMs,
    id,
    ({ code: known }) =>
      isSame(known.hash, hashOf(code)) &&
      !known.isUsed &&
      known.expiresAtMs > nowMs &&
      known.redirectUri === redirectUri &&
      isSame(known.challenge, challenge),
  )
}

/** Replaces a refresh token; undefined if it is not the current one, which revokes its grant. */
export const refreshTokens = async (
  database: Database,
  nowMs: number,
  token: string,
): Promise<IssuedTokens | undefined> => {
  const id = grantOf('refresh', token)
  if (id === undefined) return
  const isCurrent = ({ refreshHash }: SandboxGrant): boolean =>
    refreshHash !== null && isSame(refreshHash, hashOf(token))
  return issueTokens(database, nowMs, id, isCurrent)
}

/** Revokes the grant of a token; does nothing for an unknown token (RFC 7009, section 2.2). */
export const revokeToken = async (database: Database, token: string): Promise<void> => {
  const id = grantOf('refresh', token) ?? grantOf('access', token)
  const grant = id === undefined ? undefined : await getSandboxGrant(database, id)
  if (id === undefined || grant === undefined) return
  const hashes = [grant.refreshHash ?? '', ...grant.accessTokens.map((known) => known.hash)]
  if (hashes.some((known) => isSame(known, hashOf(token))))
    await changeSandboxGrant(database, id, () => 'revoked')
}

/** The companies that an access token opens; empty if it is invalid or has expired. One statement. */
export const tenantsOf = async (
  database: Database,
  nowMs: number,
  token: string,
): Promise<readonly string[]> => {
  const id = grantOf('access', token)
  const grant = id === undefined ? undefined : await getSandboxGrant(database, id)
  const isValid = grant?.accessTokens.some(
    ({ hash: known, expiresAtMs }) => expiresAtMs > nowMs && isSame(known, hashOf(token)),
  )
  return grant && isValid ? grant.tenants : []
}
