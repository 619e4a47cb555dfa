/** Connections that stay open: how many, and how they end when their key does or the process stops. */
import { createRepeater } from '../repeater.ts'
import type { Access } from '../store/access.ts'

/** Why a connection is ended. */
export type EndReason = 'revoked' | 'stopping'

export interface Connection {
  /** Notes the key on which it stays open. @returns false if the key has too many */
  authenticate(keyId: string): boolean
  closed(): void
}

export interface Connections {
  start(): void
  /** Ends every connection. */
  stop(): void
  /**
   * Notes a connection that `end` closes; undefined: there are too many, here or from this address.
   * @param isKnown whose key is known already: those that are not do not stand in its way
   */
  open(address: string, isKnown: boolean, end: (reason: EndReason) => void): Connection | undefined
}

/** Of one process, over either transport. */
export interface ConnectionLimits {
  readonly maxConnections: number
  readonly maxConnectionsPerKey: number
}

/** Of one address, that have not said yet who they are: they are to leave room for those that have. */
const MAX_UNKNOWN = 1000
/**
 * A revoked key closes what it opened within 5 s, of which it may take 3 to notice that announcements are not
 * heard (see store/notices.ts). What is heard of keys is remembered: this asks nobody.
 */
const CHECK_MS = 1000

interface Open {
  keyId: string | undefined
  readonly end: (reason: EndReason) => void
}

/** How many each has; who has none is not remembered. */
const createTally = () => {
  const counts = new Map<string, number>()
  return {
    of: (name: string): number => counts.get(name) ?? 0,
    add: (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1),
    remove: (name: string): void => {
      const left = (counts.get(name) ?? 0) - 1
      if (left > 0) counts.set(name, left)
      else counts.delete(name)
    },
  }
}

export const createConnections = (
  access: Pick<Access, 'isKeyLive'>,
  { maxConnections, maxConnectionsPerKey }: ConnectionLimits,
): Connections => {
  const connections = new Set<Open>()
  const unknown = createTally()
  const known = createTally()

  const check = async (): Promise<void> => {
    const keyIds = new Set([...connections].flatMap(({ keyId }) => keyId ?? []))
    for (const keyId of keyIds) {
      // While the database is away nobody knows; what is open tells nothing new meanwhile.
      const isLive = await access.isKeyLive(keyId).catch(() => true)
      if (!isLive) for (const one of connections) if (one.keyId === keyId) one.end('revoked')
    }
  }
  // No check fails: see above.
  const checks = createRepeater({ step: check, everyMs: CHECK_MS, onFailure: () => {} })

  return {
    start: checks.start,
    stop: () => {
      void checks.stop()
      for (const { end } of connections) end('stopping')
    },
    open: (address, isKnown, end) => {
      if (connections.size >= maxConnections) return
      if (!isKnown && unknown.of(address) >= MAX_UNKNOWN) return
      const connection: Open = { keyId: undefined, end }
      connections.add(connection)
      unknown.add(address)
      return {
        authenticate: (keyId) => {
          // It was closed while its key was looked up.
          if (!connections.has(connection)) return false
          if (known.of(keyId) >= maxConnectionsPerKey) return false
          unknown.remove(address)
          known.add(keyId)
          connection.keyId = keyId
          return true
        },
        closed: () => {
          if (!connections.delete(connection)) return
          if (connection.keyId === undefined) unknown.remove(address)
          else known.remove(connection.keyId)
        },
      }
    },
  }
}
