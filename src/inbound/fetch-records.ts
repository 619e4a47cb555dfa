/** Fetches records by their remote ids and maps them. */
import type { ResourceConnector, Steps } from '../definition/connector.ts'
import { createMapper, type RecordRow } from '../definition/mapping.ts'
import { contextOf } from '../store/accounts/credential-context.ts'
import type { Database } from '../store/database/database.ts'
import { tolerant } from '../sync/map-pages.ts'
import { readRecords } from '../sync/read-records.ts'
import { withContext } from '../write/account-context.ts'
import { type ConnectedApp, runInApp } from './context.ts'

/** The records of some remote ids. */
export interface FetchedRecords {
  readonly rows: readonly RecordRow[]
  /** Remote ids of records that the app does not have. */
  readonly absent: readonly string[]
}

/** Fetches records of a resource and maps them. @throws AppError, and what the connector throws */
export const fetchRecords = async (
  app: ConnectedApp,
  database: Database,
  resource: ResourceConnector,
  remoteIds: readonly string[],
): Promise<FetchedRecords> => {
  const { mapping } = resource
  const { id: credentialId, environmentId, customFields } = app.credential
  const appClient = app.appClient.spending({ environmentId, credentialId, purpose: 'webhook' })
  const credential = await withContext({ ...app, appClient, database })
  const context = contextOf(app.connector, credential)
  const source = {
    database,
    credentialId,
    context,
    run: <T>(steps: Steps<T>) => runInApp(app, steps),
  }
  const found = await readRecords(source, resource, remoteIds)
  const map = createMapper(mapping, tolerant)
  const account = { customFields: customFields?.get(mapping.resource.topic), context }
  const rows = found.map((raw) => map(raw, credentialId, account).row)
  const present = new Set(rows.map(({ remoteId }) => remoteId))
  return { rows, absent: remoteIds.filter((id) => !present.has(id)) }
}
