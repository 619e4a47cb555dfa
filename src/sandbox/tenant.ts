/** Tenants of the sandbox: a tenant is a company with its own records and an access token. */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Database } from '../store/database/database.ts'
import {
  createSandboxTenant,
  getSandboxTenant,
  hashSandboxToken,
  type SandboxTenant,
  setSandboxToken,
} from '../store/sandbox/sandbox-records.ts'
import { createDataset, type Dataset } from './company/history.ts'
import { RECORD_FORM } from './kinds/kinds.ts'

/** Content of a sandbox credential. */
export interface TenantAccess {
  readonly tenant: string
  readonly token: string
}

/** The records and the simulation of a tenant that is not stored yet. */
export interface PreparedTenant extends Dataset, Pick<SandboxTenant, 'seed' | 'start'> {}

/** Computes the records of a tenant as of an instant. The same name, instant and seed give identical records. */
export const prepareTenant = async (
  tenant: string,
  now: Date,
  seed = 1,
): Promise<PreparedTenant> => {
  const start = now.toISOString()
  return { seed, start, ...(await createDataset({ tenant, seed, start })) }
}

/** Options of a new tenant: its records (default: computed), their seed (default 1), and its token (default random). */
export interface TenantOptions {
  readonly prepared?: PreparedTenant | undefined
  readonly seed?: number
  readonly token?: string
}

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Whether the name is valid: lowercase letters, digits and hyphens, like a label of a host name. */
export const isTenantName = (name: string): boolean => NAME.test(name)

/** Whether the tenant exists and the token is correct. */
export const isTenantToken = async (
  database: Database,
  { tenant, token }: TenantAccess,
): Promise<boolean> => {
  const known = isTenantName(tenant) ? await getSandboxTenant(database, tenant) : undefined
  if (!known) return false
  const expected = Buffer.from(known.tokenHash)
  const actual = Buffer.from(hashSandboxToken(tenant, token))
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

const newToken = (): string => `sbx_${randomBytes(18).toString('base64url')}`

/**
 * Creates a tenant with its records as of an instant, unless the name is taken.
 * @throws RangeError for an invalid name
 */
export const createTenant = async (
  database: Database,
  now: Date,
  { tenant, token }: TenantAccess,
  { seed, prepared }: Omit<TenantOptions, 'token'> = {},
): Promise<'created' | 'exists'> => {
  if (!isTenantName(tenant))
    throw new RangeError(
      `The name of a sandbox tenant must be 1 to 63 characters of a–z, 0–9 and -, not ${JSON.stringify(tenant)}.`,
    )
  if (await getSandboxTenant(database, tenant)) return 'exists'
  // Computed before the transaction, so that it holds its connection only briefly.
  const { start, records, numbers, ...seeded } =
    prepared ?? (await prepareTenant(tenant, now, seed))
  const tokenHash = hashSandboxToken(tenant, token)
  const simulation = { ...seeded, start, clock: start, steps: 0, steppedAt: start }
  return createSandboxTenant(database, tenant, {
    tenant: { ...simulation, tokenHash, form: RECORD_FORM, numbers },
    rows: records,
  })
}

/**
 * Creates a tenant, or sets a new token on an existing one. Only the hash of a token is stored.
 * @throws RangeError for an invalid name
 */
export const openTenant = async (
  database: Database,
  now: Date,
  tenant: string,
  { token = newToken(), ...options }: TenantOptions = {},
): Promise<TenantAccess> => {
  const outcome = await createTenant(database, now, { tenant, token }, options)
  if (outcome === 'exists') await setSandboxToken(database, tenant, token)
  return { tenant, token }
}
