/** The screen of a connected account: its state, which is kept up to date, and buttons for its syncs. */
import type { ConnectableApp, Credential } from '../../generated/sdk-types.ts'
import { TrunklineError } from '../../sdk/client.ts'
import { createAccountView } from './account-view.ts'
import { problemText } from './frame.ts'
import { loadCredential, runStep, type Session } from './session.ts'
import type { SyncAction } from './sync-buttons.ts'

const REFRESH_MS = 5_000

const show = (
  session: Session,
  app: ConnectableApp,
  credential: Credential,
  back: () => void,
): void => {
  const { client, frame } = session
  const { credentialId } = credential
  const path = `2024-03/users/${client.userId}/credentials/${credentialId}`
  let isActing = false
  /** Number of actions so far: the response to an earlier request is outdated. */
  let actions = 0
  let isOutdated = false

  const act = async (action: SyncAction, topic?: string): Promise<void> => {
    if (isActing) return
    isActing = true
    actions += 1
    const query = topic === undefined ? '' : `?topic=${encodeURIComponent(topic)}`
    try {
      view.update(await client.post<Credential>(`${path}/${action}${query}`, {}, 'credential'))
      view.confirm(action, topic)
    } catch (error) {
      if (!(error instanceof TrunklineError)) throw error
      view.fail(problemText(error))
    } finally {
      isActing = false
    }
  }

  /** @returns whether the state can be loaded again later */
  const refresh = async (): Promise<boolean> => {
    const before = actions
    try {
      const current = await loadCredential(session, credentialId)
      if (actions === before) view.update(current)
      if (isOutdated) view.fail('')
      isOutdated = false
      return true
    } catch (error) {
      if (!(error instanceof TrunklineError)) throw error
      view.fail(problemText(error))
      isOutdated = true
      return error.code !== 'UNAUTHENTICATED' && error.code !== 'CREDENTIAL_NOT_FOUND'
    }
  }

  const view = createAccountView(app, credential, (action, topic) => void act(action, topic))
  const screen = frame.show({ title: view.title, content: view.content, back })
  const refreshLater = (): void =>
    void setTimeout(async () => {
      if (!screen.isConnected) return
      if (document.hidden || (await refresh())) refreshLater()
    }, REFRESH_MS)
  refreshLater()
}

/** Shows a connected account. */
export const showAccount = (
  session: Session,
  app: ConnectableApp,
  credentialId: string,
  back: () => void,
): void =>
  runStep(session, async () =>
    show(session, app, await loadCredential(session, credentialId), back),
  )
