/**
 * The reader of the change log for webhook endpoints. Endpoints that have caught up share one position and one
 * query, whatever their number and environments; an endpoint that lags has queries of its own.
 */
import { ALL_TOPICS } from '../definition/change.ts'
import type { Log } from '../log.ts'
import { encodeChangeCursor } from '../query/change-cursor.ts'
import { type ChangesPage, endOfLog, isBefore, readChanges } from '../store/changes/changes.ts'
import type { Database } from '../store/database/database.ts'
import { listOutdated, noteMissedChanges } from '../store/webhooks/webhook-deliveries.ts'
import { findCredentialUsers } from '../store/webhooks/webhook-progress.ts'
import type { Endpoint } from './endpoint.ts'
import type { ChangeWithUser, Stream } from './stream.ts'

const MAX_REMEMBERED = 10_000
const NONE: ReadonlySet<string> = new Set()

interface EndpointStream {
  readonly endpoint: Endpoint
  readonly stream: Stream
}

/** The topics of all endpoints together; undefined: every topic. */
const topicsOf = (readers: readonly EndpointStream[]): readonly string[] | undefined => {
  const topics = new Set(readers.flatMap(({ endpoint }) => [...endpoint.topics]))
  return topics.has(ALL_TOPICS) ? undefined : [...topics]
}

const rangeKeyOf = ({ stream: { readTo, before } }: EndpointStream): string =>
  [readTo, before].map((position) => position && encodeChangeCursor(position)).join()

export interface EndpointReaderOptions {
  readonly database: Database
  readonly log: Pick<Log, 'error'>
  /** Called for an endpoint whose settings have changed or that is deleted; the page is not added to it. */
  readonly onOutdated: (endpoint: Endpoint) => void
}

export const createEndpointReader = ({ database, log, onOutdated }: EndpointReaderOptions) => {
  /** End users by credential; that of a credential never changes. */
  const users = new Map<string, string>()

  const addUsers = async ({ changes }: ChangesPage): Promise<ChangeWithUser[]> => {
    const credentialIds = new Set(changes.flatMap(({ credentialId }) => credentialId ?? []))
    const unknown = [...credentialIds].filter((id) => !users.has(id))
    if (unknown.length > 0) {
      if (users.size > MAX_REMEMBERED) users.clear()
      for (const [id, userId] of await findCredentialUsers(database, unknown)) users.set(id, userId)
    }
    return changes.map((change) => ({
      change,
      userId: change.credentialId === null ? null : (users.get(change.credentialId) ?? null),
    }))
  }

  return {
    /** Reads a page for each distinct position of the endpoints. @returns whether to read again immediately */
    read: async (endpoints: Iterable<Endpoint>): Promise<boolean> => {
      const ready: EndpointStream[] = []
      for (const endpoint of endpoints)
        for (const stream of endpoint.streams)
          if (endpoint.acceptsNew && stream.hasRoom) ready.push({ endpoint, stream })
          else stream.skip()
      if (ready.length === 0) return false
      const end = await endOfLog(database)
      const behind = ready.filter(({ stream }) => isBefore(stream.readTo, end))
      let hasMore = false
      for (const readers of Object.values(Object.groupBy(behind, rangeKeyOf))) {
        const [first] = readers ?? []
        if (!readers || !first) continue
        const { readTo: after, before: last } = first.stream
        const before = last && isBefore(last, end) ? last : end
        const limit = Math.max(...readers.map(({ stream }) => stream.pageSize))
        const topics = topicsOf(readers)
        const page = await readChanges(database, {
          environmentIds: [...new Set(readers.map(({ endpoint }) => endpoint.environmentId))],
          ...(topics && { topics }),
          after,
          before,
          limit,
        })
        if (page.truncated) {
          const webhooks = readers.map(({ endpoint }) => endpoint.id)
          // Recorded before the positions move: after a kill here, the next process detects the gap again.
          await noteMissedChanges(database, webhooks)
          log.error(
            { webhooks },
            'changes were deleted from the log before they were sent to webhooks',
          )
        }
        const changes = await addUsers(page)
        // After the page was read: see `listOutdated`.
        const outdated =
          changes.length === 0
            ? NONE
            : await listOutdated(
                database,
                readers.map(({ endpoint }) => endpoint),
              )
        const read = { after, changes, next: page.next, hasMore: changes.length === limit }
        for (const { endpoint, stream } of readers) {
          if (outdated.has(endpoint.id)) onOutdated(endpoint)
          if (endpoint.acceptsNew && !outdated.has(endpoint.id)) stream.add(read)
          else stream.skip()
          endpoint.pump()
        }
        hasMore ||= readers.some(({ endpoint }) => endpoint.needsPage)
      }
      return hasMore
    },
  }
}
