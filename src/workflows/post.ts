/** The post action: sends a change to an endpoint. */
import { isSuccessStatus } from '../definition/http-status.ts'
import { openIntegrationSecrets } from '../store/secrets/integration-secrets.ts'
import type { ClaimedRun } from '../store/workflows/workflow-runs.ts'
import { activeSpan } from '../tracing.ts'
import type { WorkflowContext } from './context.ts'
import type { Post } from './definition.ts'
import { EndpointError } from './retry-plan.ts'

/** The body of the request. The record is inserted as JSON text, so its numbers keep their digits. */
const bodyOf = (run: ClaimedRun): string => {
  const { workflowId, version, installationId, userId, topic, kind, credentialId, recordId } = run
  const change = {
    topic,
    kind,
    credentialId,
    recordId,
    changedFields: run.changedFields,
    at: run.changedAt.toISOString(),
  }
  const envelope = JSON.stringify({
    workflow: { id: workflowId, version },
    installation: { id: installationId, userId },
    change,
  })
  return `${envelope.slice(0, -2)},"record":${run.record}}}`
}

/**
 * Sends a change, signed with the integration's secrets. Any status other than 2xx is a failure, also a redirect.
 * @see https://www.standardwebhooks.com: every attempt has the same `webhook-id`
 * @throws ExchangeError, EndpointError; ChannelClosedError once the signal is aborted
 */
export const performPost = async (
  {
    transport,
    vault,
    sign,
    clock,
  }: Pick<WorkflowContext, 'transport' | 'vault' | 'sign' | 'clock'>,
  run: ClaimedRun,
  { address }: Post,
  signal: AbortSignal,
): Promise<void> => {
  const signed = sign(openIntegrationSecrets(vault, run), {
    id: run.id,
    timestampSeconds: Math.floor(clock.nowMs() / 1000),
    body: bodyOf(run),
  })
  const baseHeaders = ['content-type', 'application/json', 'user-agent', 'Trunkline']
  // The address is the integrator's.
  const traceparent = activeSpan()?.traceparent
  const traceHeaders = traceparent === undefined ? [] : ['traceparent', traceparent]
  const channel = transport.open(new URL(address))
  signal.addEventListener('abort', channel.close, { once: true })
  try {
    const { status, retryAfterMs } = await channel.post(
      [...baseHeaders, ...signed.headers, ...traceHeaders],
      signed.body,
    )
    if (!isSuccessStatus(status)) throw new EndpointError(status, retryAfterMs)
  } finally {
    signal.removeEventListener('abort', channel.close)
  }
}
