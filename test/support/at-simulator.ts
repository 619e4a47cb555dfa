import type { AuthMethod } from '../../src/definition/auth.ts'
import type { Connector } from '../../src/definition/connector.ts'

/** `https://{shop}.myshopify.com/admin` is at `<url>/{shop}.myshopify.com/admin`, another host's path at `<url>`. */
const simulatorUrl = (address: string, url: string): string => {
  const [host = '', ...path] = address.replace('https://', '').split('/')
  return [url, ...(host.includes('{') ? [host] : []), ...path].join('/')
}

/** The connector with all its addresses on a simulator at this origin. */
export const connectorAt = (connector: Connector, url: string): Connector => {
  const withSimulatorUrls = (method: AuthMethod): AuthMethod =>
    // Safe: an address is replaced by an address.
    Object.fromEntries(
      Object.entries(method).map(([name, value]) => [
        name,
        /Url$/.test(name) && typeof value === 'string' ? simulatorUrl(value, url) : value,
      ]),
    ) as unknown as AuthMethod
  const methods = Object.entries(connector.auth).map(([name, method]) => [
    name,
    withSimulatorUrls(method),
  ])
  return { ...connector, auth: Object.fromEntries(methods) }
}
