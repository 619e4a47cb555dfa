/** Messages between the integrator's page and the Connect UI, a frame of another origin. */

/** The task that the Connect modal is opened for. */
export type ModalTask =
  | {
      readonly kind: 'authenticate'
      readonly app: string | undefined
      readonly category: string | undefined
    }
  | { readonly kind: 'install'; readonly integrationId: string }

/** The first message from the page. It is sent once, with a port for the replies. */
export interface ModalOpening {
  readonly trunkline: 'open'
  readonly token: string
  readonly task: ModalTask
}

/** Result of the task. */
export interface TaskOutcome {
  readonly success: boolean
  readonly credentialId?: string
  readonly installationId?: string
}

/** A reply of the Connect UI through the port. At most one `outcome` is sent, before `done`. */
export type FrameMessage =
  | { readonly kind: 'outcome'; readonly outcome: TaskOutcome }
  | { readonly kind: 'done' }

/** Checks whether a message, possibly from an unrelated page, is a `ModalOpening`. */
export const isOpening = (message: unknown): message is ModalOpening =>
  typeof message === 'object' &&
  message !== null &&
  'trunkline' in message &&
  message.trunkline === 'open'
