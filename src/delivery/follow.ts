/**
 * From the change log to the endpoints. Those that have caught up stand at one place of the log and
 * share one reading of it, whatever their number and their environments; one that lags reads for itself.
 */
import { encodeChangeCursor } from '../query/change-cursor.ts'
import { type ChangesPage, endOfLog, isBefore, readChanges } from '../store/changes.ts'
import type { Database } from '../store/database.ts'
import { noteMissedChanges } from '../store/webhook-deliveries.ts'
import { findCredentialUsers } from '../store/webhook-progress.ts'
import type { DeliveryLog } from './context.ts'
import type { Endpoint } from './endpoint.ts'
import type { Stream, ToldChange } from './stream.ts'

const MAX_REMEMBERED = 10_000

interface Reader {
  readonly endpoint: Endpoint
  readonly stream: Stream
}

const placeOf = ({ stream: { readTo, before } }: Reader): string =>
  [readTo, before].map((position) => position && encodeChangeCursor(position)).join()

export const createFollower = (database: Database, log: Pick<DeliveryLog, 'error'>) => {
  const { prisma } = database
  /** The end user of a credential never changes. */
  const users = new Map<string, string>()

  const tell = async ({ changes }: ChangesPage): Promise<ToldChange[]> => {
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
    /** Reads a page for each place at which endpoints stand. @returns whether there is more to read at once */
    read: async (endpoints: Iterable<Endpoint>): Promise<boolean> => {
      const hungry: Reader[] = []
      for (const endpoint of endpoints)
        for (const stream of endpoint.streams)
          if (endpoint.takesNew && stream.isHungry) hungry.push({ endpoint, stream })
          else stream.skip()
      if (hungry.length === 0) return false
      const end = await endOfLog(prisma)
      const behind = hungry.filter(({ stream }) => isBefore(stream.readTo, end))
      let hasMore = false
      for (const readers of Object.values(Object.groupBy(behind, placeOf))) {
        const [first] = readers ?? []
        if (!readers || !first) continue
        const { readTo: after, before: last } = first.stream
        const before = last && isBefore(last, end) ? last : end
        const limit = Math.max(...readers.map(({ stream }) => stream.pageSize))
        const page = await readChanges(prisma, {
          environmentIds: [...new Set(readers.map(({ endpoint }) => endpoint.environmentId))],
          topics: [...new Set(readers.flatMap(({ endpoint }) => [...endpoint.topics]))],
          ...{ after, before, limit },
        })
        if (page.truncated) {
          const webhooks = readers.map(({ endpoint }) => endpoint.id)
          // Before their place moves on: a process that is killed here finds it once more.
          await noteMissedChanges(database, webhooks)
          log.error({ webhooks }, 'changes were deleted before they were sent')
        }
        const changes = await tell(page)
        const told = { after, changes, next: page.next, hasMore: changes.length === limit }
        for (const { endpoint, stream } of readers) {
          if (endpoint.takesNew) stream.add(told)
          else stream.skip()
          endpoint.pump()
        }
        hasMore ||= readers.some(({ endpoint }) => endpoint.isStarved)
      }
      return hasMore
    },
  }
}
