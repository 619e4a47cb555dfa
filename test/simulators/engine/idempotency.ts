/** Responses to writes that are repeated under the key that the client chose. */
import type { Reply } from './profile.ts'

export interface Idempotency {
  /**
   * The reply to the first request with this key, or that of `work`. A reply that `work` throws is not remembered.
   * `fingerprint` is what the requests of a key must have in common, e.g. their body.
   * @throws what `conflict` returns, if the key was used with another fingerprint
   */
  once(
    key: string,
    fingerprint: string,
    steps: { readonly work: () => Reply; readonly conflict: () => Error },
  ): Reply
}

export const createIdempotency = (): Idempotency => {
  const replies = new Map<string, { readonly fingerprint: string; readonly reply: Reply }>()
  return {
    once: (key, fingerprint, { work, conflict }) => {
      const known = replies.get(key)
      if (known === undefined) {
        const reply = work()
        replies.set(key, { fingerprint, reply })
        return reply
      }
      if (known.fingerprint !== fingerprint) throw conflict()
      return known.reply
    },
  }
}
