/**
 * Trunkline SDK for the integrator's pages: opens the Connect modal, where an end user connects apps and
 * installs integrations, and lists what is installed. It uses the token of one end user and reads no records.
 */
import type { Installation, Integration } from '../generated/sdk-types.ts'
import { type Appearance, appearanceProblem } from './appearance.ts'
import { type Client, createClient, TrunklineError } from './client.ts'
import type { ModalTask, TaskOutcome } from './messages.ts'
import { type Modal, openModal } from './modal.ts'

export type { Appearance, Integration }
export { TrunklineError }

export interface AuthenticateResult {
  /** True if an app was connected, or an account connected again. */
  readonly success: boolean
  readonly credentialId?: string
}

export interface InstallResult {
  /** True if the integration was installed. */
  readonly success: boolean
  readonly installationId?: string
}

export interface AuthenticateOptions {
  /** API name of the app to connect. Without it, the end user chooses an app. */
  readonly app?: string
  /** Shows only apps of this category: accounting, crm or commerce. */
  readonly category?: string
  readonly callback?: (result: AuthenticateResult) => void
}

export interface InstallOptions {
  readonly integrationId: string
  readonly callback?: (result: InstallResult) => void
}

/** An installed integration, or one of its workflows. */
export interface InstallationTarget {
  readonly integrationId: string
  readonly workflowId?: string
}

/** How the Connect modal is shown. */
export interface ModalOptions {
  /** Language of the modal, as a BCP 47 tag: `de`, `pt-BR`. Default: that of the page, else that of the browser. */
  readonly locale?: string
  /** The product that the end user connects the app to. */
  readonly appearance?: Appearance
}

export interface Trunkline {
  /** Sets how the modal is shown from now on. @throws TrunklineError INVALID_OPTION */
  configure(options: ModalOptions): void
  /** Sets the end user's token, from `GET /2023-12/user/:userId/token`. Call it again before the token expires. @throws TrunklineError NO_TOKEN */
  setToken(token: string): void
  /** Opens the Connect modal to connect an app. @throws TrunklineError NO_TOKEN, WINDOW_OPEN */
  authenticate(options?: AuthenticateOptions): Promise<AuthenticateResult>
  /** Opens the Connect modal to install an integration. @throws TrunklineError NO_TOKEN, WINDOW_OPEN */
  install(options: InstallOptions): Promise<InstallResult>
  /** Lists the integrations and whether the end user has installed each. @throws TrunklineError */
  getIntegrations(): Promise<readonly Integration[]>
  /** Stops all workflows of an installed integration, or one workflow, until `reactivate`. @throws TrunklineError */
  deactivate(target: InstallationTarget): Promise<void>
  /** Restarts workflows that `deactivate` stopped. @throws TrunklineError */
  reactivate(target: InstallationTarget): Promise<void>
}

export interface TrunklineOptions extends ModalOptions {
  /** URL of the service, e.g. `https://trunkline.example.com`. */
  readonly url: string
}

const checkOptions = (options: ModalOptions): ModalOptions => {
  const problem = appearanceProblem(options.appearance ?? {})
  if (problem !== undefined) throw new TrunklineError('INVALID_OPTION', problem)
  return options
}

/** Creates the SDK for one page. @throws TrunklineError INVALID_OPTION */
export const createTrunkline = ({ url, ...initial }: TrunklineOptions): Trunkline => {
  const base = url.endsWith('/') ? url : `${url}/`
  let modalOptions = checkOptions(initial)
  let session: { readonly client: Client; readonly token: string } | undefined
  /** The modal on screen; `isDecided` once its outcome is known. */
  let open: { readonly modal: Modal; isDecided: boolean } | undefined

  const requireSession = () => {
    if (session) return session
    throw new TrunklineError('NO_TOKEN', 'No token is set. Call setToken first.')
  }

  /** Opens the modal. @returns the outcome as soon as it is known */
  const show = (task: ModalTask): Promise<TaskOutcome> => {
    const { token } = requireSession()
    if (open && !open.isDecided)
      throw new TrunklineError('WINDOW_OPEN', 'The Connect modal is already open.')
    // The previous task is done, but the end user has not pressed Done.
    open?.modal.close()
    const { locale, appearance = {} } = modalOptions
    const locales = [locale, document.documentElement.lang].filter((tag) => tag !== undefined)
    const opening = { trunkline: 'open', token, task, locales, appearance } as const
    return new Promise((resolve) => {
      const modal = openModal(base, opening, (outcome) => {
        shown.isDecided = true
        resolve(outcome)
      })
      const shown = { modal, isDecided: false }
      open = shown
      void modal.closed.then(() => {
        if (open === shown) open = undefined
        // No effect if an outcome has already resolved the promise.
        resolve({ success: false })
      })
    })
  }

  const toggle = async (
    action: string,
    { integrationId, workflowId }: InstallationTarget,
  ): Promise<void> => {
    const { client } = requireSession()
    const installations = await client.get<readonly Installation[]>(
      `2024-03/installations?userId=${client.userId}`,
    )
    const installation = installations.find((one) => one.integrationId === integrationId)
    if (!installation)
      throw new TrunklineError('NOT_FOUND', 'The end user has not installed this integration.')
    const workflow = workflowId === undefined ? '' : `/workflows/${encodeURIComponent(workflowId)}`
    const path = `2024-03/installations/${installation.installationId}${workflow}/${action}`
    await client.post(path, {})
  }

  return {
    configure: (options) => {
      modalOptions = checkOptions(options)
    },
    setToken: (token) => {
      session = { token, client: createClient(base, token) }
    },
    authenticate: async ({ app, category, callback } = {}) => {
      const result = await show({ kind: 'authenticate', app, category })
      callback?.(result)
      return result
    },
    install: async ({ integrationId, callback }) => {
      const result = await show({ kind: 'install', integrationId })
      callback?.(result)
      return result
    },
    getIntegrations: async () => {
      const { client } = requireSession()
      return client.get<readonly Integration[]>(`2024-03/integrations?userId=${client.userId}`)
    },
    deactivate: (target) => toggle('deactivate', target),
    reactivate: (target) => toggle('reactivate', target),
  }
}
