/** The sandbox companies of the example user's two credentials. */
import { type PreparedTenant, prepareTenant } from '../sandbox/tenant.ts'

export const EXAMPLE_TENANTS = ['acme', 'acme-outlet'] as const

/** Computes the records of the companies, as of now by the clock of the host, before its embedded database runs. */
export const prepareExampleTenants = async (): Promise<readonly PreparedTenant[]> => {
  const now = new Date()
  const prepared: PreparedTenant[] = []
  for (const tenant of EXAMPLE_TENANTS) prepared.push(await prepareTenant(tenant, now))
  return prepared
}
