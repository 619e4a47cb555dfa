/** Messages between the integrator's page and the Connect UI, a frame of another origin. */
import type { Appearance } from './appearance.ts'

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
  /** Requested locales in order of preference, before those of the browser. SDKs of 0.1 send none. */
  readonly locales?: readonly string[]
  readonly appearance?: Appearance
}

/** Result of the task. */
export interface TaskOutcome {
  readonly success: boolean
  readonly credentialId?: string
  readonly installationId?: string
}

/**
 * A reply of the Connect UI through the port. The first `outcome` counts; it is sent before `done`. `title` names the modal
 * in the language of the end user; SDKs that send no locales do not expect it.
 */
export type FrameMessage =
  | { readonly kind: 'title'; readonly title: string }
  | { readonly kind: 'outcome'; readonly outcome: TaskOutcome }
  | { readonly kind: 'done' }

/** Checks whether a message, possibly from an unrelated page, is a `ModalOpening`. */
export const isOpening = (message: unknown): message is ModalOpening =>
  typeof message === 'object' &&
  message !== null &&
  'trunkline' in message &&
  message.trunkline === 'open'
