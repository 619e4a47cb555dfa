import type { ChangeFeeds, FeedChange, FeedPage } from '../../src/definition/feed.ts'
import { withQuery } from '../../src/definition/paging/pager.ts'

/** The response of `/changes`. */
interface Changes {
  readonly time: string
  readonly items: readonly {
    readonly type: string
    readonly Id: string
    readonly status?: 'Deleted'
  }[]
}

const TOPICS: Readonly<Record<string, string>> = {
  Invoice: 'accounting/invoices',
  Bill: 'accounting/bills',
}

export const feeds: ChangeFeeds = {
  changes: {
    topics: Object.values(TOPICS),
    // Without a token, a cheap request whose response tells the time of the app.
    request: ({ token }) => ({
      method: 'GET',
      path: token === undefined ? '/company' : withQuery('/changes', { since: String(token) }),
    }),
    read: ({ body }): FeedPage => {
      const { time, items = [] } = body as Changes
      const changes = items.map((record): FeedChange => {
        const name = { topic: TOPICS[record.type] ?? record.type, remoteId: record.Id }
        return record.status === 'Deleted'
          ? { ...name, kind: 'deleted' }
          : { ...name, kind: 'changed', record }
      })
      const isFull = items.length >= 1000
      return {
        changes,
        next: undefined,
        token: time,
        incomplete: isFull ? Object.values(TOPICS) : [],
      }
    },
  },
}
