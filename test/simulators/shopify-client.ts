/** A Shopify simulator with one shop, and a client of its GraphQL endpoint. */
import { createClient } from './client.ts'
import type { ShopSettings } from './shopify/shop.ts'
import { createShopify, type ShopifyStartOptions } from './shopify/start.ts'

export const SHOP = 'acme.myshopify.com'
export const ENDPOINT = `/${SHOP}/admin/api/2026-07/graphql.json`
export const NOON = Date.parse('2026-11-23T20:00:00.500Z')

export interface OpenOptions extends ShopifyStartOptions {
  readonly settings?: Partial<ShopSettings>
  readonly scopes?: readonly string[]
}

export const open = ({ settings, scopes, ...options }: OpenOptions = {}) => {
  const clock = { startMs: NOON, frozen: true }
  const simulator = createShopify({ limited: false, clock, ...options })
  const shop = simulator.addShop(SHOP, 'Acme', settings)
  const issued = simulator.oauth.issue(SHOP, scopes && { scopes })
  const headers = { 'x-shopify-access-token': issued.accessToken }
  const client = createClient(simulator)
  /** The body of a response. */
  const send = async (query: string, variables?: object) => {
    const body = { query, ...(variables && { variables }) }
    return (await client('POST', ENDPOINT, { headers, body })).json
  }
  /** The data of a response without errors. */
  const query = async (text: string, variables?: object) => {
    const { data, errors } = await send(text, variables)
    if (errors) throw new Error(JSON.stringify(errors))
    return data
  }
  return { simulator, shop, client, headers, send, query }
}

/** The code of the first error. */
export const codeOf = ({
  errors,
}: {
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[]
}): string | undefined => errors?.[0]?.extensions?.code
