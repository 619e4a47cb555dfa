/**
 * Fixtures shared by the Shopify connector tests that run without a simulator. test/long/shopify-documents.check.ts
 * holds each request against Shopify's own schema.
 */
import { connector } from '../../../src/connectors/shopify/manifest.ts'
import type { AppRequest, AppResponse } from '../../../src/definition/connector.ts'
import { textsAt, valuesOf } from '../../../src/definition/raw-values.ts'

export const SINCE = '2026-01-02T03:04:05.678Z'

/** The settings of a shop. */
export const context = { currency: 'EUR', timeZone: 'Europe/Berlin' }

/** A response with these data. */
export const okResponse = (data: unknown, rest: object = {}): AppResponse => ({
  status: 200,
  headers: {},
  body: { data, ...rest },
})

const LAST = { hasNextPage: false, endCursor: null }
export const connection = (nodes: readonly unknown[], pageInfo: object = LAST) => ({
  nodes,
  pageInfo,
})
export const globalId = (type: string, id: number) => `gid://shopify/${type}/${id}`

/** The definition of `commerce/{name}`. */
export const findResource = (name: string) => {
  const found = connector.resources[`commerce/${name}`]
  if (!found) throw new Error(`no ${name}`)
  return found
}

/** The document of a request in one line, and its variables. */
export const sentIn = ({ body }: AppRequest) => ({
  document: (textsAt(body, 'query')[0] ?? '').replaceAll(/\s{1,200}/g, ' '),
  variables: valuesOf(valuesOf(body).variables),
})

/** The response to the first request of a full listing: the number of records, and the operations that run. */
export const look = (list: string, count: number, operations: readonly object[] = []) => ({
  [`${list}Count`]: { count },
  bulkOperations: { nodes: operations },
})
