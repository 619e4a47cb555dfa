/** Whether an app has as many records as are held here: what no listing of changes shows is told by their number. */
import { AppUnavailableError } from '../outbound/app-error.ts'
import { countHeld } from '../store/sightings.ts'
import { type ActiveRun, resourceOf } from './active-run.ts'

/** How many more records the app has than are held here; null if it does not count them. @throws AppError */
export const readSurplus = async (run: ActiveRun, signal: AbortSignal): Promise<number | null> => {
  const { context, connector, credential, resource, lease } = run
  const { census } = resource.sync
  if (!census) return null
  const request = { ...census.request, read: true } as const
  const response = await context.appClient.send(connector, credential.values, request, signal)
  const held = await countHeld(context.database, lease.key, resourceOf(run))
  try {
    return census.read(response) - held
  } catch {
    // The error of a connector may quote the answer.
    const facts = {
      app: connector.app,
      request: `${request.method} ${request.path.split('?', 1)[0]}`,
      reason: 'the answer is not a number of records',
    }
    throw new AppUnavailableError(facts, 'malformed')
  }
}
