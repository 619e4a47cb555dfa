/** What the integrator's page and the window say to each other; the window is a frame of another origin. */

/** What the window is opened for. */
export type Task =
  | {
      readonly kind: 'authenticate'
      readonly app: string | undefined
      readonly category: string | undefined
    }
  | { readonly kind: 'install'; readonly integrationId: string }

/** From the page, once, with a port for the answers. */
export interface Opening {
  readonly trunkline: 'open'
  readonly token: string
  readonly task: Task
}

/** What the end user did. */
export interface Outcome {
  readonly success: boolean
  readonly credentialId?: string
  readonly installationId?: string
}

/** From the window, through the port. An outcome comes at most once, before the window is done. */
export type Told =
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'done' }

/** Whether a message that any page may have sent is an opening. */
export const isOpening = (message: unknown): message is Opening =>
  typeof message === 'object' &&
  message !== null &&
  'trunkline' in message &&
  message.trunkline === 'open'
