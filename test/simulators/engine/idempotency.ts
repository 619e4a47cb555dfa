/** Results of writes that are repeated under the key that the client chose. */

export interface Idempotency<Result> {
  /**
   * The result of the first call with this key, or that of `work`. A failure is not remembered; a promise is, so that
   * calls at the same time share it. `fingerprint` is what the calls of a key must have in common, e.g. their body.
   * @throws what `conflict` returns, if the key was used with another fingerprint
   */
  once(
    key: string,
    fingerprint: string,
    steps: { readonly work: () => Result; readonly conflict: () => Error },
  ): Result
}

export const createIdempotency = <Result>(): Idempotency<Result> => {
  const results = new Map<string, { readonly fingerprint: string; readonly result: Result }>()
  return {
    once: (key, fingerprint, { work, conflict }) => {
      const known = results.get(key)
      if (known !== undefined) {
        if (known.fingerprint !== fingerprint) throw conflict()
        return known.result
      }
      const result = work()
      results.set(key, { fingerprint, result })
      if (result instanceof Promise) result.catch(() => results.delete(key))
      return result
    },
  }
}
