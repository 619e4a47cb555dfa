/** The proxy cannot be reached, or does not connect to the target. The message contains no secret. */
export class EgressProxyError extends Error {
  override readonly name = 'EgressProxyError'
  readonly code = 'EGRESS_PROXY'
}
