/** The state of one GraphQL socket. */
import type { WebSocket } from 'ws'
import type { KeyCaller } from '../auth/caller.ts'
import type { Connection } from '../http/connections.ts'
import type { SocketSender } from './wire.ts'

export interface SocketState {
  readonly requestId: string
  /** The address that the connection limit counts. */
  readonly address: string
  /** The client's own address. */
  readonly clientAddress: string
  readonly socket: WebSocket
  readonly sender: SocketSender
  readonly connection: Connection
  /** The header of the upgrade request; a key in `connection_init` takes precedence. */
  readonly authorization: string | undefined
  caller: KeyCaller | undefined
  /** The rate-limit and byte-budget subject. */
  subject: string
}
