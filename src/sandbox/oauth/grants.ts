/**
 * The grants of the sandbox's authorization server: authorization codes with PKCE, short-lived access tokens and
 * rotating refresh tokens. A code or refresh token that is used twice revokes its grant (RFC 9700, section 2.2.2).
 */
import { hash, randomBytes } from 'node:crypto'
import type { Database } from '../../store/database/database.ts'
import {
  changeSandboxGrant,
  createSandboxGrant,
  getSandboxGrant,
  type SandboxGrant,
} from '../../store/sandbox/sandbox-grants.ts'

const CODE_MS = 60_000
export const ACCESS_TOKEN_SECONDS = 900

/** Kinds of secrets. Each names its grant: `sbr_<grant>_<random>`. */
const PREFIXES = { code: 'sbc', access: 'sbo', refresh: 'sbr' } as const
type Kind = keyof typeof PREFIXES

const newSecret = (kind: Kind, id: string): string =>
  `${PREFIXES[kind]}_${id}_${randomBytes(24).toString('hex')}`

/** The id of the grant that a code or token names; undefined if it has another form. */
const grantOf = (kind: Kind, secret: string): string | undefined => {
  const [, prefix, id] = /^(sb[cor])_([0-9a-f]{24})_[0-9a-f]{48}$/.exec(secret) ?? []
  return prefix === PREFIXES[kind] ? id : undefined
}

// Hashes of 192 random bits: comparing them reveals nothing about the secret.
const hashOf = (secret: string): string => hash('sha256', secret, 'hex')

/** Whether a bearer token has the form of an access token of this server. */
export const isAccessToken = (token: string): boolean => grantOf('access', token) !== undefined

/** What a user of the sandbox allows, and the request that it answers. */
export interface Approval {
  readonly tenants: readonly string[]
  readonly redirectUri: string
  /** S256. */
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
  const expiresAtMs = nowMs + CODE_MS
  await createSandboxGrant(database, id, {
    tenants,
    code: { hash: hashOf(code), redirectUri, challenge, expiresAtMs },
    refreshHash: null,
    accessTokens: [],
  })
  return code
}

/** Issues tokens for the grant of a code or refresh token if `isAllowed`, and revokes the grant if not. */
const issueTokens = async (
  database: Database,
  nowMs: number,
  id: string | undefined,
  isAllowed: (grant: SandboxGrant) => boolean,
) => {
  if (id === undefined) return undefined
  const accessToken = newSecret('access', id)
  const refreshToken = newSecret('refresh', id)
  const changed = await changeSandboxGrant(database, id, (grant) => {
    if (!isAllowed(grant)) return 'revoked'
    const valid = grant.accessTokens.filter(({ expiresAtMs }) => expiresAtMs > nowMs)
    const expiresAtMs = nowMs + ACCESS_TOKEN_SECONDS * 1000
    const accessTokens = [...valid, { hash: hashOf(accessToken), expiresAtMs }]
    return { ...grant, refreshHash: hashOf(refreshToken), accessTokens }
  })
  return changed === undefined || changed === 'revoked' ? undefined : { accessToken, refreshToken }
}

/** Exchanges an authorization code; undefined if it is invalid, which revokes its grant. */
export const exchangeCode = (
  database: Database,
  nowMs: number,
  code: string,
  redirectUri: string,
  verifier: string,
) =>
  issueTokens(
    database,
    nowMs,
    grantOf('code', code),
    ({ code: known, refreshHash }) =>
      known.hash === hashOf(code) &&
      // Unused.
      refreshHash === null &&
      known.expiresAtMs > nowMs &&
      known.redirectUri === redirectUri &&
      // RFC 7636, section 4.6.
      known.challenge === hash('sha256', verifier, 'base64url'),
  )

/** Replaces a refresh token; undefined if it is not the current one, which revokes its grant. */
export const refreshTokens = (database: Database, nowMs: number, token: string) =>
  issueTokens(
    database,
    nowMs,
    grantOf('refresh', token),
    ({ refreshHash }) => refreshHash === hashOf(token),
  )

/** Revokes the grant of a token; does nothing for an unknown token (RFC 7009, section 2.2). */
export const revokeToken = async (database: Database, token: string): Promise<void> => {
  const id = grantOf('refresh', token) ?? grantOf('access', token)
  if (id === undefined) return
  await changeSandboxGrant(database, id, (grant) => {
    const hashes = [grant.refreshHash, ...grant.accessTokens.map((known) => known.hash)]
    return hashes.includes(hashOf(token)) ? 'revoked' : grant
  })
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
    ({ hash: known, expiresAtMs }) => expiresAtMs > nowMs && known === hashOf(token),
  )
  return grant && isValid ? grant.tenants : []
}
