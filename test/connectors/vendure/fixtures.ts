/** Recorded responses of the real Vendure (`record.ts`), read by the connector as the engine reads them. */
import { readFileSync } from 'node:fs'
import { connector } from '../../../src/connectors/vendure/manifest.ts'
import type { Shop } from '../../../src/connectors/vendure/shop.ts'
import type {
  AppResponse,
  Json,
  ListPage,
  ResourceConnector,
} from '../../../src/definition/connector.ts'
import { createMapper, type MappedRecord } from '../../../src/definition/mapping.ts'

export const CREDENTIAL = '5d0c3f5e-0000-4000-8000-000000000001'

export interface RecordedPage {
  readonly cursor: Json
  readonly response: { readonly status: number; readonly body: unknown }
}

const readJson = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../fixtures/vendure/${name}.json`, import.meta.url), 'utf8'))

/** The context of the shop. */
export const CONTEXT = readJson('context') as Shop // record.ts wrote it

/** The rejections by cause. */
export const failures = readJson('failures') as Readonly<Record<string, RecordedPage['response']>>

/** A full listing, or a listing of changes since an instant. */
export const readFixture = (name: string): { since?: string; pages: readonly RecordedPage[] } =>
  readJson(name) as { since?: string; pages: readonly RecordedPage[] } // record.ts wrote it

export const findResource = (name: string): ResourceConnector => {
  const found = connector.resources[`commerce/${name}`]
  if (!found) throw new Error(`the connector has no ${name}`)
  return found
}

/** A response as the client passes it on. */
export const response = ({ status, body }: RecordedPage['response']): AppResponse => ({
  status,
  body,
  headers: {},
})

/** A response to a query: `{ orders: … }`. */
export const responseWith = (data: unknown): AppResponse =>
  response({ status: 200, body: { data } })

export const readPage = (name: string, page: RecordedPage, since?: string): ListPage =>
  findResource(name).readList(response(page.response), {
    since,
    cursor: page.cursor ?? undefined,
    context: CONTEXT,
  })

/** The raw records of a recorded full listing. */
// biome-ignore lint/suspicious/noExplicitAny: each test knows the records that it takes
export const readRawRecords = (name: string): any[] =>
  readFixture(name).pages.flatMap((page) => [...readPage(name, page).records])

/** A raw record as the store would receive it. */
export const mapRaw = (name: string, raw: unknown, context: Shop = CONTEXT): MappedRecord =>
  createMapper(findResource(name).mapping)(raw, CREDENTIAL, { context })
