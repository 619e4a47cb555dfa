/** What is synchronised on its own: one resource of one credential. */
export interface SyncKey {
  readonly credentialId: string
  readonly topic: string
}
