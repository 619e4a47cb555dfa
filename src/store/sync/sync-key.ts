/** The unit of synchronization: one resource of one credential. */
export interface SyncKey {
  readonly credentialId: string
  readonly topic: string
}
