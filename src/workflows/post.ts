/** Tells an address of a change. */
import { isSuccessStatus } from '../definition/http-status.ts'
import { openIntegrationSecrets } from '../store/integration-secrets.ts'
import type { ClaimedRun } from '../store/workflow-runs.ts'
import type { WorkflowContext } from './context.ts'
import type { Post } from './definition.ts'
import { EndpointError } from './failure.ts'

/** The body: the record stands in it as the change log has it, digit for digit. */
const bodyOf = (run: ClaimedRun): string => {
  const { workflowId, version, installationId, userId, topic, kind, credentialId, recordId } = run
  const change = {
    ...{ topic, kind, credentialId, recordId, changedFields: run.changedFields },
    at: run.changedAt.toISOString(),
  }
  const told = JSON.stringify({
    workflow: { id: workflowId, version },
    installation: { id: installationId, userId },
    change,
  })
  return `${told.slice(0, -2)},"record":${run.record}}}`
}

/**
 * Sends it, signed by its integration's secret; whatever is not 2xx is a failure, a redirect too.
 * @see https://www.standardwebhooks.com: every attempt has the same `webhook-id`
 * @throws ExchangeError, EndpointError; LineClosedError once the signal is aborted
 */
export const performPost = async (
  { postbox, vault, sign }: Pick<WorkflowContext, 'postbox' | 'vault' | 'sign'>,
  run: ClaimedRun,
  { address }: Post,
  signal: AbortSignal,
): Promise<void> => {
  const signed = sign(openIntegrationSecrets(vault, run), {
    id: run.id,
    timestampSeconds: Math.floor(Date.now() / 1000),
    body: bodyOf(run),
  })
  const fixed = ['content-type', 'application/json', 'user-agent', 'Trunkline']
  const line = postbox.open(new URL(address))
  signal.addEventListener('abort', line.close, { once: true })
  try {
    const { status, retryAfterMs } = await line.post([...fixed, ...signed.headers], signed.body)
    if (!isSuccessStatus(status)) throw new EndpointError(status, retryAfterMs)
  } finally {
    signal.removeEventListener('abort', line.close)
  }
}
