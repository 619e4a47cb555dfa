/**
 * Writes what a workflow makes of a record to another app: created once, updated from then on.
 *
 * What keeps workflows from setting each other off for ever:
 * - what would be written anew as it was written last is not written;
 * - a record that another workflow made of a second one is written back to that one, not copied;
 * - a change that a workflow led to does not set it off again (`match.ts`).
 */
import { credentialRoute, resourceTag, routeOf } from '../definition/identity.ts'
import type { Resource } from '../definition/resource.ts'
import { ApiError } from '../errors.ts'
import type { Input } from '../query/input.ts'
import type { WriteAttempt } from '../query/write-request.ts'
import { getRecords } from '../store/records.ts'
import { findLink, findSources, type WorkflowLink } from '../store/workflow-links.ts'
import { type ClaimedRun, findTargetCredential } from '../store/workflow-runs.ts'
import type { WorkflowContext } from './context.ts'
import { isTaken, type Upsert, type WorkflowDefinition } from './definition.ts'
import { WorkflowError } from './failure.ts'
import { fingerprintOf, mapFields } from './mapping.ts'
import { valueAt } from './record-path.ts'

/** What a run has come to: its target, and the link to be kept with it. */
export interface Upserted {
  readonly targetRecordId: string
  readonly link: WorkflowLink & { readonly fingerprint: string }
}

/** A run that has not ended may have made the record: what it made it of is known once it has. */
export class OriginUnknownError extends Error {
  override readonly name = 'OriginUnknownError'
  readonly code = 'ORIGIN_UNKNOWN'
}

/** Whether an id is that of a record of the credential and resource. */
const isRecordOf = (id: string, credentialId: string, topic: string): boolean => {
  const place = routeOf(id)
  return place?.route === credentialRoute(credentialId) && place.tag === resourceTag(topic)
}

/** @throws OriginUnknownError */
const findTarget = async (
  { database }: WorkflowContext,
  run: ClaimedRun,
  when: WorkflowDefinition['when'],
  credentialId: string,
  { topic }: Resource,
): Promise<WorkflowLink | undefined> => {
  const own = await findLink(database, run)
  // A link to a credential that has been replaced leads nowhere.
  if (own && own.targetCredentialId === credentialId) return own
  const { recordIds, mayGrow } = await findSources(database, { ...run, app: when.app })
  // The run that made this record may not have ended, nor linked it: then it says itself what it is of.
  const sources = [run.origin ?? [], recordIds].flat()
  const source = sources.find((id) => isRecordOf(id, credentialId, topic))
  if (source !== undefined)
    return { targetCredentialId: credentialId, targetRecordId: source, fingerprint: undefined }
  // The sync may have seen what a run wrote before that run could say so: this must not become a copy of it.
  if (mayGrow) throw new OriginUnknownError('a run that may have made the record has not ended')
  return
}

const targetCredential = async (
  { database }: WorkflowContext,
  run: ClaimedRun,
  when: WorkflowDefinition['when'],
  app: string,
): Promise<string> => {
  if (app === when.app) return run.credentialId
  const credentialId = await findTargetCredential(database, run.installationId, app)
  if (credentialId === undefined)
    throw new WorkflowError('NO_CREDENTIAL', `the installation has no credential of ${app}`)
  return credentialId
}

const withoutNulls = (input: Input): Input =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))

/** Whether a record is there and not deleted in its app. */
const isThere = async (
  { database }: WorkflowContext,
  resource: Resource,
  { targetCredentialId: credentialId, targetRecordId: id }: WorkflowLink,
): Promise<boolean> => {
  const [text] = await getRecords(database, resource, [{ credentialId, id }])
  return text !== undefined && valueAt(JSON.parse(text), 'remoteDeleted') !== true
}

const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'WRITE_CONFLICT'

/** @throws what the writer throws, WorkflowError or OriginUnknownError */
export const performUpsert = async (
  context: WorkflowContext,
  run: ClaimedRun,
  { when, upsert }: { readonly when: WorkflowDefinition['when']; readonly upsert: Upsert },
): Promise<Upserted> => {
  const { writer, catalogue, connectors } = context
  const resource = catalogue.get(upsert.resource)
  const credentialId = await targetCredential(context, run, when, upsert.app)
  const input = mapFields(upsert.fields, resource, JSON.parse(run.record))
  const fingerprint = fingerprintOf(input)
  const upserted = (targetRecordId: string): Upserted => ({
    targetRecordId,
    link: { targetCredentialId: credentialId, targetRecordId, fingerprint },
  })
  const owner = { credentialId, environmentId: run.environmentId }
  const attempt = { brokenOffSince: run.brokenOffSince, cause: run.id }
  const target = await findTarget(context, run, when, credentialId, resource)
  // What was deleted in the app is made anew, as what is not there is made.
  if (target && (await isThere(context, resource, target))) {
    const { targetRecordId } = target
    if (target.fingerprint === fingerprint) return upserted(targetRecordId)
    const { update } = connectors.get(upsert.app)?.resources[upsert.resource]?.write ?? {}
    const taken = Object.entries(input).filter(([name]) => isTaken(update?.fields ?? [], name))
    const request = { fields: Object.fromEntries(taken), remoteFields: {} }
    const change = (how: WriteAttempt) =>
      writer.update(owner, resource, targetRecordId, request, how)
    if (taken.length > 0)
      await change(attempt).catch((error: unknown) => {
        // Nobody can tell what the earlier try has done. It set fields, as this one does: twice is as once.
        if (run.brokenOffSince === undefined || !isConflict(error)) throw error
        return change({ cause: run.id })
      })
    return upserted(targetRecordId)
  }
  const request = { fields: withoutNulls(input), remoteFields: {} }
  const created = await writer.create(owner, resource, request, attempt)
  // A record of ours has an id.
  return upserted((JSON.parse(created) as { id: string }).id)
}
