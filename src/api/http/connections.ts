/** Long-lived connections: limits, and closing them when the key is revoked or the process stops. */
import { createRepeater } from '../../repeater.ts'
import type { Access } from '../../store/accounts/access.ts'

/** Why a connection is closed. `evicted`: a newer one replaces an unauthenticated one at the limit. */
export type EndReason = 'revoked' | 'stopping' | 'evicted'

/** Why a connection is rejected: the process or the key is at its limit, or the connection is closed already. */
export type ConnectionRejection = 'process' | 'key' | 'closed'

export interface Connection {
  /** Assigns the connection to a key. @returns undefined, or why the connection is rejected */
  authenticate(keyId: string): ConnectionRejection | undefined
  /** Removes a connection that has closed. */
  remove(): void
}

export interface Connections {
  start(): void
  /** Closes every connection. */
  stop(): void
  /**
   * Adds an unauthenticated connection. It is always accepted: if its address or the process is at the limit of
   * unauthenticated connections, the oldest one is closed.
   */
  open(address: string, end: (reason: EndReason) => void): Connection
}

/** Limits of one process for WebSockets and event streams together. */
export interface ConnectionLimits {
  readonly maxConnections: number
  readonly maxConnectionsPerKey: number
}

/** Limits of unauthenticated connections, in addition to `maxConnections`: for one address, and in total. */
const MAX_UNAUTHENTICATED_PER_ADDRESS = 1000
const MAX_UNAUTHENTICATED = 4000
/**
 * A revoked key closes its connections within 5 s. Up to 3 s of that pass before a lost listener is detected
 * (see store/database/pg-listener.ts). The check uses the cache of keys and causes no query.
 */
const CHECK_MS = 1000

interface OpenConnection {
  keyId: string | undefined
  readonly end: (reason: EndReason) => void
}

/** Connections grouped by name, in order of insertion; empty groups are removed. */
const createGroups = () => {
  const groups = new Map<string, Set<OpenConnection>>()
  let size = 0
  const sizeOf = (name: string): number => groups.get(name)?.size ?? 0
  return {
    get size() {
      return size
    },
    sizeOf,
    add: (name: string, connection: OpenConnection): void => {
      const group = groups.get(name) ?? new Set()
      groups.set(name, group.add(connection))
      size += 1
    },
    remove: (name: string, connection: OpenConnection): void => {
      const group = groups.get(name)
      if (!group?.delete(connection)) return
      size -= 1
      if (group.size === 0) groups.delete(name)
    },
    /** The oldest connection of a group. */
    oldestOf: (name: string): OpenConnection | undefined => groups.get(name)?.values().next().value,
    /** The name of the largest group; of several, the oldest one. */
    largest: (): string | undefined => {
      let name: string | undefined
      for (const candidate of groups.keys())
        if (name === undefined || sizeOf(candidate) > sizeOf(name)) name = candidate
      return name
    },
  }
}

export const createConnections = (
  access: Pick<Access, 'isKeyLive'>,
  { maxConnections, maxConnectionsPerKey }: ConnectionLimits,
): Connections => {
  const connections = new Set<OpenConnection>()
  const unauthenticated = createGroups()
  const authenticated = createGroups()

  /** Closes the oldest unauthenticated connection of an address. */
  const evictOldest = (address: string | undefined): void => {
    const oldest = address === undefined ? undefined : unauthenticated.oldestOf(address)
    if (address === undefined || oldest === undefined) return
    connections.delete(oldest)
    unauthenticated.remove(address, oldest)
    oldest.end('evicted')
  }

  const check = async (): Promise<void> => {
    const keyIds = new Set([...connections].flatMap(({ keyId }) => keyId ?? []))
    for (const keyId of keyIds) {
      // Keep connections while the database is unavailable: they receive no changes in the meantime.
      const isLive = await access.isKeyLive(keyId).catch(() => true)
      if (!isLive)
        for (const connection of connections)
          if (connection.keyId === keyId) connection.end('revoked')
    }
  }
  // `check` never rejects: it catches database errors.
  const checks = createRepeater({ step: check, everyMs: CHECK_MS, onFailure: () => {} })

  return {
    start: checks.start,
    stop: () => {
      void checks.stop()
      for (const { end } of connections) end('stopping')
    },
    open: (address, end) => {
      if (unauthenticated.sizeOf(address) >= MAX_UNAUTHENTICATED_PER_ADDRESS) evictOldest(address)
      else if (unauthenticated.size >= MAX_UNAUTHENTICATED) evictOldest(unauthenticated.largest())
      const connection: OpenConnection = { keyId: undefined, end }
      connections.add(connection)
      unauthenticated.add(address, connection)
      return {
        authenticate: (keyId) => {
          // The connection may have closed during the lookup of its key.
          if (!connections.has(connection)) return 'closed'
          if (authenticated.size >= maxConnections) return 'process'
          if (authenticated.sizeOf(keyId) >= maxConnectionsPerKey) return 'key'
          unauthenticated.remove(address, connection)
          authenticated.add(keyId, connection)
          connection.keyId = keyId
          return
        },
        remove: () => {
          if (!connections.delete(connection)) return
          if (connection.keyId === undefined) unauthenticated.remove(address, connection)
          else authenticated.remove(connection.keyId, connection)
        },
      }
    },
  }
}
