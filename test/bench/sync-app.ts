/**
 * An app with many records in its own process. Its pages are prepared, so that serving them takes almost no
 * time. `GET /accounts?page=n` returns `{ records, nextPage }`. Env: PORT, RECORDS, PAGE_SIZE.
 */
import { createServer } from 'node:http'

const records = Number(process.env.RECORDS)
const pageSize = Number(process.env.PAGE_SIZE)

/** An account in this app's format. */
export interface AppAccount {
  readonly id: string
  readonly name: string
  readonly owner: string
  readonly about: string
  readonly industry: string
  readonly website: string
  readonly employees: number
  readonly lastActivity: string
  readonly created: string
  readonly updated: string
  readonly address: { street: string; city: string; state: string; country: string; zip: string }
  readonly phone: string
  readonly lifecycleStage: string
  readonly score: number
  readonly tags: readonly string[]
}

export interface AppPage {
  readonly records: readonly AppAccount[]
  readonly nextPage: number | null
}

const INDUSTRIES = ['Software', 'Retail', 'Healthcare', 'Logistics', 'Education'] as const

const createAccount = (n: number): AppAccount => ({
  id: `acc_${n}`,
  name: `Copper & Willow ${n} GmbH`,
  owner: `Ember Lantern ${n % 97}`,
  about: `Supplies copper to the trade.\nSays of itself: "since ${1900 + (n % 120)}", Zürich.`,
  industry: INDUSTRIES[n % 5] ?? 'Software',
  website: `https://www.willow${n}.example`,
  employees: 1 + (n % 500),
  lastActivity: new Date(1_727_000_000_000 + n * 977).toISOString(),
  created: new Date(1_704_000_000_000 + n * 1013).toISOString(),
  updated: new Date(1_721_000_000_000 + n * 1019).toISOString(),
  address: {
    street: `${n % 200} Granite Road`,
    city: 'Harbour',
    state: 'CA',
    country: 'US',
    zip: String(10_000 + (n % 90_000)),
  },
  phone: `+1 555 ${1_000_000 + n}`,
  lifecycleStage: 'customer',
  score: n / 8,
  tags: ['copper', `segment-${n % 31}`],
})

const lastPage = Math.ceil(records / pageSize)
const pages = Array.from({ length: lastPage }, (_, index) => {
  const first = index * pageSize
  const length = Math.min(pageSize, records - first)
  const page = Array.from({ length }, (_, place) => createAccount(first + place + 1))
  const nextPage = index + 1 < lastPage ? index + 2 : null
  return Buffer.from(JSON.stringify({ records: page, nextPage } satisfies AppPage))
})

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const page = pages[Number(url.searchParams.get('page') ?? 1) - 1]
  if (url.pathname !== '/accounts' || page === undefined) {
    response.writeHead(404).end()
    return
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': page.length })
  response.end(page)
})
server.listen(Number(process.env.PORT), '127.0.0.1')
// Exits with the benchmark that started this process.
process.on('disconnect', () => process.exit())
