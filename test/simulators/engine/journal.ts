/** The journal of requests, in the order of arrival. */

export interface JournalEntry {
  /** The vendor's time of arrival. */
  readonly atMs: number
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The route's path template, once it is known: `/v3/company/{realmId}/query`. */
  route?: string
  /** Account of the access token or of the path, once it is known. */
  accountId?: string
  /** Status of the response; undefined while the request is processed, and if no response is sent. */
  status?: number
  fault?: string
  /** From arrival to the end of the response, in real time. */
  durationMs?: number
}

export interface Journal {
  readonly entries: readonly JournalEntry[]
  /** The entries whose method and URL contain these. */
  find(target: { readonly method?: string; readonly url?: string }): readonly JournalEntry[]
  /** The largest number of requests that were processed at the same time, of one account or of all. */
  mostAtOnce(accountId?: string): number
  /** Forgets the entries and the counters. */
  clear(): void
}

export interface JournalWriter extends Journal {
  begin(entry: JournalEntry): JournalEntry
  /** Notes which account a request is for. */
  assign(entry: JournalEntry, accountId: string): void
  end(entry: JournalEntry, status: number | undefined): void
}

const ALL = ''

export const createJournal = (): JournalWriter => {
  const entries: JournalEntry[] = []
  const startedMs = new WeakMap<JournalEntry, number>()
  const running = new Map<string, number>()
  const maxConcurrent = new Map<string, number>()

  const count = (key: string, step: 1 | -1): void => {
    const current = (running.get(key) ?? 0) + step
    running.set(key, current)
    maxConcurrent.set(key, Math.max(maxConcurrent.get(key) ?? 0, current))
  }

  return {
    entries,
    find: ({ method, url = '' }) =>
      entries.filter(
        (entry) => (method ?? entry.method) === entry.method && entry.url.includes(url),
      ),
    mostAtOnce: (accountId = ALL) => maxConcurrent.get(accountId) ?? 0,
    clear: () => {
      entries.length = 0
      maxConcurrent.clear()
    },
    begin: (entry) => {
      entries.push(entry)
      startedMs.set(entry, performance.now())
      count(ALL, 1)
      return entry
    },
    assign: (entry, accountId) => {
      if (entry.accountId !== undefined) return
      entry.accountId = accountId
      count(accountId, 1)
    },
    end: (entry, status) => {
      if (entry.durationMs !== undefined) return
      entry.durationMs = performance.now() - (startedMs.get(entry) ?? 0)
      if (status !== undefined) entry.status = status
      count(ALL, -1)
      if (entry.accountId !== undefined) count(entry.accountId, -1)
    },
  }
}
