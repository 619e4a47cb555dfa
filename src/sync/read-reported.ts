/** Fetches one page of a feed and reads the records that it reports only by their ids. */
import type { AppRequest, ResourceConnector, Steps } from '../definition/connector.ts'
import type { FeedChange, FeedPage } from '../definition/feed.ts'
import { recordId } from '../definition/identity.ts'
import { classifyFailure } from '../outbound/classify-failure.ts'
import type { AppClient } from '../outbound/http.ts'
import { malformedResponse } from '../outbound/malformed-response.ts'
import { contextOf } from '../store/accounts/credential-context.ts'
import { temporaryFailureOf } from '../store/database/temporary-failure.ts'
import { listStoppedTopics } from '../store/inbound/events.ts'
import { resultOf, runSteps } from '../write/run-steps.ts'
import { accountOf } from './active-run.ts'
import { createPageMapper, type MappedPages, remoteIdsOf } from './map-pages.ts'
import { isFetchable, readRecords } from './read-records.ts'
import { parsed } from './run-end.ts'
import { LIMIT_REACHED } from './storage-limits.ts'
import type { FeedRun, ReportedPage } from './store-reported.ts'

const appClientOf = ({ context, owner }: FeedRun): AppClient =>
  context.appClient.spending({ ...owner, purpose: 'changes' })

interface SentPage extends FeedPage {
  /** When it was requested, by `performance.now()`. */
  readonly requestedMs: number
}

/** Requests the page at the progress of a run. @throws AppError */
const fetchPage = async (run: FeedRun, signal: AbortSignal): Promise<SentPage> => {
  const { connector, credential, feed, progress } = run
  const token = parsed(progress.token ?? null)
  const context = contextOf(connector, credential)
  const position = { token, cursor: parsed(progress.cursor), context }
  const request: AppRequest = { ...feed.request(position), read: true }
  const requestedMs = performance.now()
  const response = await appClientOf(run).send(connector, credential, request, signal)
  try {
    const page = feed.read(response, position)
    if (page.next === undefined && page.token === undefined)
      throw new Error('The last page has no token.')
    return { ...page, requestedMs }
  } catch {
    throw malformedResponse(
      connector,
      { request, response },
      'the response is not a page of changes',
    )
  }
}

/** The last change of each record. */
const lastOfEach = (changes: readonly FeedChange[]): readonly FeedChange[] => [
  ...new Map(changes.map((change) => [change.remoteId, change])).values(),
]

/** Reads records by their ids; undefined if the app rejects that: list the resource by itself. @throws AppError */
const readByIds = async (
  run: FeedRun,
  resource: ResourceConnector,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly unknown[] | undefined> => {
  const { context, connector, credential, lease } = run
  if (!isFetchable(resource)) return
  const client = appClientOf(run)
  const send = (request: AppRequest) => client.send(connector, credential, request, signal)
  const source = {
    database: context.database,
    credentialId: credential.id,
    context: contextOf(connector, credential),
    run: async <Result>(steps: Steps<Result>) => resultOf(await runSteps(connector, steps, send)),
  }
  try {
    return await readRecords(source, resource, ids)
  } catch (error) {
    const { code, reason } = classifyFailure(error)
    const isFinal = code === 'APP_REFUSED' || (code === 'INTERNAL' && !temporaryFailureOf(error))
    if (signal.aborted || !isFinal) throw error
    const { topic } = resource.mapping.resource
    context.log.warn({ ...lease.key, topic, code, reason }, 'records of a feed were not read')
    return
  }
}

/** The records of the changes of one resource; `isComplete` is false if some could not be read. @throws AppError */
const mapChanges = async (
  run: FeedRun,
  resource: ResourceConnector,
  changes: readonly FeedChange[],
  { signal, requestedMs }: { readonly signal: AbortSignal; readonly requestedMs: number },
): Promise<{ readonly mapped: MappedPages; readonly isComplete: boolean }> => {
  const { credential, state, acquiredMs } = run
  const all = lastOfEach(changes)
  const deleted = all.filter(({ kind }) => kind === 'deleted').map(({ remoteId }) => remoteId)
  const changed = all.filter(({ kind }) => kind === 'changed')
  const ids = changed.filter(({ record }) => record === undefined).map(({ remoteId }) => remoteId)
  const whole = changed.flatMap(({ record }) => (record === undefined ? [] : [record]))
  const read = ids.length === 0 ? [] : await readByIds(run, resource, ids, signal)
  const mapPage = createPageMapper(
    resource.mapping,
    accountOf(run, resource.mapping.resource),
    (steadyMs) => Date.parse(state.now) + steadyMs - acquiredMs,
  )
  const mapped = await mapPage({
    records: [...whole, ...(read ?? [])],
    deleted,
    next: undefined,
    remaining: [],
    appTime: undefined,
    requestedMs,
  })
  const present = new Set(remoteIdsOf(mapped))
  // A record without an id may be any of those that seem to be absent.
  const isComplete = read !== undefined && mapped.skipped === 0
  const absent = isComplete ? ids.filter((id) => !present.has(id)) : []
  const { topic } = resource.mapping.resource
  const gone = absent.map((remoteId) => ({
    id: recordId(credential.id, topic, remoteId),
    remoteId,
  }))
  return { mapped: { ...mapped, tombstones: [...mapped.tombstones, ...gone] }, isComplete }
}

/** The page at the progress of a run, with its records. The changes of paused resources are left out. @throws AppError */
export const readReportedPage = async (
  run: FeedRun,
  signal: AbortSignal,
): Promise<ReportedPage> => {
  const { context, connector, credential, feed } = run
  const page = await fetchPage(run, signal)
  const { changes, next, token, requestedMs } = page
  const incomplete = new Set(page.incomplete?.filter((topic) => feed.topics.includes(topic)))
  const reported: ReportedPage['reported'][number][] = []
  const lacking: string[] = []
  const byTopic = Map.groupBy(changes, ({ topic }) => topic)
  const stopped =
    changes.length === 0
      ? new Set()
      : await listStoppedTopics(context.database, credential.id, LIMIT_REACHED)
  for (const topic of feed.topics) {
    const resource = connector.resources[topic]
    const own = byTopic.get(topic)
    if (!resource || !own) continue
    if (stopped.has(topic)) {
      incomplete.add(topic)
      if (own.some(({ kind }) => kind === 'deleted')) lacking.push(topic)
      continue
    }
    const { mapped, isComplete } = await mapChanges(run, resource, own, { signal, requestedMs })
    reported.push({ resource: resource.mapping.resource, mapped })
    if (!isComplete) incomplete.add(topic)
  }
  const last = token !== undefined && { token }
  return { reported, incomplete: [...incomplete], lacking, next, ...last }
}
