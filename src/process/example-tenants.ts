/** The sandbox companies of the example user's two credentials. */
import { type PreparedTenant, prepareTenant } from '../sandbox/tenant.ts'

export const EXAMPLE_TENANTS = ['acme', 'acme-outlet'] as const

/** Computes the records of the companies as of an instant. Needs no database. */
export const prepareExampleTenants = async (now: Date): Promise<readonly PreparedTenant[]> => {
  const prepared: PreparedTenant[] = []
  for (const tenant of EXAMPLE_TENANTS) prepared.push(await prepareTenant(tenant, now))
  return prepared
}
