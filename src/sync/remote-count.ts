/** Compares the number of records in the app and in the store, to detect drift that listings of changes do not show. */
import { AppUnavailableError, factsOf } from '../outbound/app-error.ts'
import { countStored } from '../store/sync/seen-records.ts'
import { type ActiveRun, resourceOf } from './active-run.ts'

/** How many more records the app has than the store; null if the app does not count them. @throws AppError */
export const readDrift = async (run: ActiveRun, signal: AbortSignal): Promise<number | null> => {
  const { context, connector, credential, resource, lease } = run
  const { remoteCount } = resource.sync
  if (!remoteCount) return null
  const request = { ...remoteCount.request, read: true } as const
  const response = await context.appClient.send(connector, credential, request, signal)
  const stored = await countStored(context.database, lease.key, resourceOf(run))
  try {
    return remoteCount.read(response) - stored
  } catch {
    // The error itself may quote the response, so it is not kept.
    const reason = 'the response is not a number of records'
    throw new AppUnavailableError({ ...factsOf(connector, request), reason }, 'malformed')
  }
}
