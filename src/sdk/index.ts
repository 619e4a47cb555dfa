/**
 * Trunkline in the integrator's pages: opens the window in which an end user connects apps and installs
 * integrations, and says what is installed. It works with the token of one end user and asks for no records.
 */
import type { Installation, Integration } from '../generated/sdk-types.ts'
import { type Client, createClient, TrunklineError } from './client.ts'
import type { Outcome, Task } from './messages.ts'
import { type Modal, openModal } from './modal.ts'

export type { Integration }
export { TrunklineError }

export interface AuthenticateResult {
  /** Whether an app was connected. */
  readonly success: boolean
  readonly credentialId?: string
}

export interface InstallResult {
  /** Whether the integration is installed now. */
  readonly success: boolean
  readonly installationId?: string
}

export interface AuthenticateOptions {
  /** The app to connect, by its name in the API; unless given, the end user chooses. */
  readonly app?: string
  /** Only apps of it are shown: accounting, crm, commerce. */
  readonly category?: string
  readonly callback?: (result: AuthenticateResult) => void
}

export interface InstallOptions {
  readonly integrationId: string
  readonly callback?: (result: InstallResult) => void
}

/** An installed integration, or one workflow of it. */
export interface Switched {
  readonly integrationId: string
  readonly workflowId?: string
}

export interface Trunkline {
  /** Of one end user, from `GET /2023-12/user/:userId/token`; a new one before it expires. @throws TrunklineError */
  setToken(token: string): void
  /** Opens the window to connect an app. @throws TrunklineError NO_TOKEN, WINDOW_OPEN */
  authenticate(options?: AuthenticateOptions): Promise<AuthenticateResult>
  /** Opens the window to install an integration. @throws TrunklineError NO_TOKEN, WINDOW_OPEN */
  install(options: InstallOptions): Promise<InstallResult>
  /** What can be installed, and what is. @throws TrunklineError */
  getIntegrations(): Promise<readonly Integration[]>
  /** Stops the workflows of an installed integration, or one of them, until reactivated. @throws TrunklineError */
  deactivate(what: Switched): Promise<void>
  /** Lets them run again. @throws TrunklineError */
  reactivate(what: Switched): Promise<void>
}

export interface TrunklineOptions {
  /** Where the service is: `https://trunkline.example.com`. */
  readonly url: string
}

/** Trunkline for a page. */
export const createTrunkline = ({ url }: TrunklineOptions): Trunkline => {
  const base = url.endsWith('/') ? url : `${url}/`
  let session: { readonly client: Client; readonly token: string } | undefined
  /** The window whose outcome is not known yet, or that shows it still. */
  let open: { readonly modal: Modal; isDecided: boolean } | undefined

  const signedIn = () => {
    if (session) return session
    throw new TrunklineError('NO_TOKEN', 'Call setToken first, with the token of an end user.')
  }

  /** Shows the window. @returns what the end user did, as soon as it is known */
  const show = (task: Task): Promise<Outcome> => {
    const { token } = signedIn()
    if (open && !open.isDecided)
      throw new TrunklineError('WINDOW_OPEN', 'The window is open already.')
    // Its end user has not pressed Done, and the page goes on already.
    open?.modal.close()
    return new Promise((resolve) => {
      const modal = openModal(base, { trunkline: 'open', token, task }, (outcome) => {
        shown.isDecided = true
        resolve(outcome)
      })
      const shown = { modal, isDecided: false }
      open = shown
      void modal.closed.then(() => {
        if (open === shown) open = undefined
        // Unless there was another outcome.
        resolve({ success: false })
      })
    })
  }

  const toggle = async (word: string, { integrationId, workflowId }: Switched): Promise<void> => {
    const { client } = signedIn()
    const installations = await client.get<readonly Installation[]>(
      `2024-03/installations?userId=${client.userId}`,
    )
    const found = installations.find((one) => one.integrationId === integrationId)
    if (!found) throw new TrunklineError('NOT_FOUND', 'The integration is not installed.')
    const workflow = workflowId === undefined ? '' : `/workflows/${encodeURIComponent(workflowId)}`
    await client.post(`2024-03/installations/${found.installationId}${workflow}/${word}`, {})
  }

  return {
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
      const { client } = signedIn()
      return client.get<readonly Integration[]>(`2024-03/integrations?userId=${client.userId}`)
    },
    deactivate: (what) => toggle('deactivate', what),
    reactivate: (what) => toggle('reactivate', what),
  }
}
