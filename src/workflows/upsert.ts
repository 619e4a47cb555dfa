/**
 * The upsert action: creates a record in the target app on the first run and updates it on later ones.
 *
 * Three rules prevent endless loops between workflows:
 * - An upsert with the same values as the last one is not sent.
 * - A record that another workflow created from a source record updates that source, instead of a copy.
 * - A change that a workflow caused does not trigger it again (`match.ts`).
 */
import { credentialRoute, namedUuid, resourceTag, routeOf } from '../definition/identity.ts'
import type { Resource } from '../definition/resource.ts'
import { ApiError } from '../errors.ts'
import type { Input } from '../query/input.ts'
import type { WriteAttempt } from '../query/write-request.ts'
import { getRecords } from '../store/records/records.ts'
import { findLink, findSources, type WorkflowLink } from '../store/workflows/workflow-links.ts'
import { type ClaimedRun, findTargetCredential } from '../store/workflows/workflow-runs.ts'
import type { WorkflowContext } from './context.ts'
import { isFieldSupported, type Upsert, type WorkflowDefinition } from './definition.ts'
import { fingerprintOf, mapFields } from './mapping.ts'
import { valueAt } from './record-path.ts'
import { WorkflowError } from './retry-plan.ts'

/** The result of an upsert: its target record, and the link to save with the run. */
export interface Upserted {
  readonly targetRecordId: string
  readonly link: WorkflowLink & { readonly fingerprint: string }
}

/** A run that has not ended may have created the record. Its source is known when that run ends. */
export class OriginUnknownError extends Error {
  override readonly name = 'OriginUnknownError'
  readonly code = 'ORIGIN_UNKNOWN'
}

/** Whether an id belongs to a record of the credential and resource. */
const isRecordOf = (id: string, credentialId: string, topic: string): boolean => {
  const parts = routeOf(id)
  return parts?.route === credentialRoute(credentialId) && parts.tag === resourceTag(topic)
}

/** The record to update; undefined if one must be created. @throws OriginUnknownError */
const findTarget = async (
  { database }: WorkflowContext,
  run: ClaimedRun,
  when: WorkflowDefinition['when'],
  credentialId: string,
  { topic }: Resource,
): Promise<WorkflowLink | undefined> => {
  const own = await findLink(database, run)
  // A link to a replaced credential is ignored.
  if (own && own.targetCredentialId === credentialId) return own
  const { recordIds, mayBeIncomplete } = await findSources(database, { ...run, app: when.app })
  // The run that created this record may not have saved its link yet: `origin` names its source.
  const sources = [run.origin ?? [], recordIds].flat()
  const source = sources.find((id) => isRecordOf(id, credentialId, topic))
  if (source !== undefined)
    return { targetCredentialId: credentialId, targetRecordId: source, fingerprint: undefined }
  // The sync may store a record before the run that created it ends: do not create a copy of it.
  if (mayBeIncomplete)
    throw new OriginUnknownError('a run that may have created the record has not ended')
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

/** Whether a record is stored and not deleted in its app. */
const exists = async (
  { database }: WorkflowContext,
  resource: Resource,
  { targetCredentialId: credentialId, targetRecordId: id }: WorkflowLink,
): Promise<boolean> => {
  const [text] = await getRecords(database, resource, [{ credentialId, id }])
  return text !== undefined && valueAt(JSON.parse(text), 'remoteDeleted') !== true
}

const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'WRITE_CONFLICT'

/** Performs the upsert of a run. @throws what the writer throws, WorkflowError or OriginUnknownError */
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
  const attemptAt = (verb: 'create' | 'update') => ({
    interruptedSince: run.interruptedSince,
    cause: run.id,
    key: namedUuid(`run ${run.id} ${verb}`),
  })
  const target = await findTarget(context, run, when, credentialId, resource)
  // A target that was deleted in the app is created again, like one that never existed.
  if (target && (await exists(context, resource, target))) {
    const { targetRecordId } = target
    if (target.fingerprint === fingerprint) return upserted(targetRecordId)
    const { update } = connectors.get(upsert.app)?.resources[upsert.resource]?.write ?? {}
    const supported = Object.entries(input).filter(([name]) =>
      isFieldSupported(update?.fields ?? [], name),
    )
    const request = { fields: Object.fromEntries(supported), remoteFields: {} }
    const sendUpdate = (options: WriteAttempt) =>
      writer.update({ owner, resource, id: targetRecordId, request, attempt: options })
    if (supported.length > 0)
      await sendUpdate(attemptAt('update')).catch((error: unknown) => {
        // The outcome of the interrupted attempt is unknown. Setting the same fields twice is idempotent.
        if (run.interruptedSince === undefined || !isConflict(error)) throw error
        return sendUpdate({ cause: run.id })
      })
    return upserted(targetRecordId)
  }
  const request = { fields: withoutNulls(input), remoteFields: {} }
  const created = await writer.create({ owner, resource, request, attempt: attemptAt('create') })
  return upserted(created.id)
}
