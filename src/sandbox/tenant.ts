/** A tenant of the sandbox: a company with its own records, and the token that opens them. */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Database } from '../store/database.ts'
import {
  createSandboxTenant,
  getSandboxTenant,
  type SandboxTenant,
} from '../store/sandbox-records.ts'
import { createDataset } from './dataset.ts'

/** What a credential of the sandbox holds. */
export interface TenantAccess {
  readonly tenant: string
  readonly token: string
}

/** What a new tenant is made with: the seed of its records, and its token; unless given, a random one. */
export interface TenantOptions {
  readonly seed?: number
  readonly token?: string
}

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Whether a tenant may be called so: a label of letters, digits and hyphens, as in a host name. */
export const isTenantName = (name: string): boolean => NAME.test(name)

/** Whether the token is the tenant's. In constant time. */
export const opens = ({ token }: Pick<SandboxTenant, 'token'>, given: string): boolean => {
  const expected = Buffer.from(token)
  const actual = Buffer.from(given)
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

const newToken = (): string => `sbx_${randomBytes(18).toString('base64url')}`

/** Makes a tenant as of an instant, or finds the one of that name: made once, its records are its own. */
export const createTenant = async (
  database: Database,
  now: Date,
  tenant: string,
  { seed = 1, token = newToken() }: TenantOptions = {},
): Promise<TenantAccess> => {
  if (!isTenantName(tenant))
    throw new RangeError(
      `A sandbox tenant is named by up to 63 of a–z, 0–9 and -, not ${JSON.stringify(tenant)}.`,
    )
  await createSandboxTenant(database, tenant, () => {
    const start = now.toISOString()
    const { records, numbers } = createDataset({ tenant, seed, start })
    return {
      // The token is kept as it is: it guards no more than the rows beside it, which are invented.
      tenant: { token, seed, start, clock: start, steps: 0, steppedAt: start, numbers },
      rows: records.map(({ fields, ...record }) => ({ ...record, body: { ...fields } })),
    }
  })
  const made = await getSandboxTenant(database, tenant)
  if (!made) throw new Error(`The sandbox tenant ${tenant} vanished while it was made.`)
  return { tenant, token: made.token }
}
