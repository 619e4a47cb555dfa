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

/** Prefixes of secrets. Each names its grant: `sbr_<grant>_<random>`. */
type Prefix = 'sbc' | 'sbo' | 'sbr'

const newSecret = (prefix: Prefix, id: string): string =>
  `${prefix}_${id}_${randomBytes(24).toString('hex')}`

/** The grant that a code or token names; undefined if it has another form. */
const grantOf = (secret: string): string | undefined =>
  /^sb[cor]_([0-9a-f]{24})_[0-9a-f]{48}$/.exec(secret)?.[1]

// Hashes of 192 random bits: comparing them reveals nothing about the secret.
const hashOf = (secret: string): string => hash('sha256', secret, 'hex')

/** Whether a bearer token has the form of an access token of this server. */
export const isAccessToken = (token: string): boolean =>
  token.startsWith('sbo_') && grantOf(token) !== undefined

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
  const code = newSecret('sbc', id)
  await createSandboxGrant(database, id, {
    tenants,
    code: { hash: hashOf(code), redirectUri, challenge, expiresAtMs: nowMs + CODE_MS },
    refreshHash: null,
    accessTokens: [],
  })
  return code
}

/** The proof that a code was requested by the client that exchanges it. */
export interface CodeProof {
  readonly redirectUri: string
  readonly verifier: string
}

const isProven = ({ code }: SandboxGrant, proof: CodeProof, nowMs: number): boolean =>
  code.expiresAtMs > nowMs &&
  code.redirectUri === proof.redirectUri &&
  // RFC 7636, section 4.6.
  code.challenge === hash('sha256', proof.verifier, 'base64url')

/**
 * Exchanges a code with its proof, or a refresh token, for new tokens.
 * @returns undefined if it is not the current code or token of its grant, which is revoked
 */
export const exchange = async (
  database: Database,
  nowMs: number,
  secret: string,
  proof?: CodeProof,
) => {
  const id = grantOf(secret)
  if (id === undefined) return
  const accessToken = newSecret('sbo', id)
  const refreshToken = newSecret('sbr', id)
  const changed = await changeSandboxGrant(database, id, (grant) => {
    const isCurrent =
      grant.refreshHash === null
        ? grant.code.hash === hashOf(secret) && proof && isProven(grant, proof, nowMs)
        : grant.refreshHash === hashOf(secret) && !proof
    if (!isCurrent) return 'revoked'
    const valid = grant.accessTokens.filter(({ expiresAtMs }) => expiresAtMs > nowMs)
    const expiresAtMs = nowMs + ACCESS_TOKEN_SECONDS * 1000
    const accessTokens = [...valid, { hash: hashOf(accessToken), expiresAtMs }]
    return { ...grant, refreshHash: hashOf(refreshToken), accessTokens }
  })
  return changed === undefined || changed === 'revoked' ? undefined : { accessToken, refreshToken }
}

/** Revokes the grant of a token; does nothing for an unknown token (RFC 7009, section 2.2). */
export const revokeToken = async (database: Database, token: string): Promise<void> => {
  const id = grantOf(token)
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
  const id = grantOf(token)
  const grant = id === undefined ? undefined : await getSandboxGrant(database, id)
  const isValid = grant?.accessTokens.some(
    ({ hash: known, expiresAtMs }) => expiresAtMs > nowMs && known === hashOf(token),
  )
  return grant && isValid ? grant.tenants : []
}
