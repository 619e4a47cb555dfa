/** A limit on the bytes of request bodies, messages and responses that a process holds in memory. */

export interface ByteBudgetOptions {
  /** The limit for all holders together. */
  readonly totalBytes: number
  readonly bytesPerHolder: number
}

/** The limit that was reached: that of one holder, or that of the process. */
export type ExceededLimit = 'holder' | 'process'

/** The bytes that are held for one body, message or response of a holder. */
export interface HeldBytes {
  readonly bytes: number
  /** Reserves more bytes. @returns undefined, or the limit that was reached; then none of them are reserved */
  take(bytes: number): ExceededLimit | undefined
  /** Releases all but this many bytes. */
  keep(bytes: number): void
  /** Releases all bytes; later calls of `take` are not counted. */
  release(): void
}

export interface ByteBudget {
  /** @param holder the caller, address or app that uses the bytes */
  open(holder: string): HeldBytes
}

export const createByteBudget = ({ totalBytes, bytesPerHolder }: ByteBudgetOptions): ByteBudget => {
  const byHolder = new Map<string, number>()
  let total = 0

  const refusalOf = (holderBytes: number, allBytes: number): ExceededLimit | undefined => {
    if (holderBytes > bytesPerHolder) return 'holder'
    // A holder never has more bytes than are free. So n holders that take as much as they
    // can get 1/(n+1) of the budget each, and the same amount stays free for the next holder.
    return holderBytes > totalBytes - allBytes ? 'process' : undefined
  }

  return {
    open: (holder) => {
      let held = 0
      let isOpen = true
      const change = (bytes: number): void => {
        const own = (byHolder.get(holder) ?? 0) + bytes
        if (own > 0) byHolder.set(holder, own)
        else byHolder.delete(holder)
        total += bytes
        held += bytes
      }
      const keep = (bytes: number): void => {
        if (bytes < held) change(Math.max(0, bytes) - held)
      }
      return {
        get bytes() {
          return held
        },
        take: (bytes) => {
          if (!isOpen) return
          const refusal = refusalOf((byHolder.get(holder) ?? 0) + bytes, total + bytes)
          if (refusal === undefined) change(bytes)
          return refusal
        },
        keep,
        release: () => {
          isOpen = false
          keep(0)
        },
      }
    },
  }
}
