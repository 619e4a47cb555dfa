/** The screen of a connected account: its state, which is kept up to date, and what can be done about it. */
import type { ConnectableApp, Credential } from '../../generated/sdk-types.ts'
import { TrunklineError } from '../../sdk/client.ts'
import { createAccountView } from './account-view.ts'
import { connectApp } from './connect-app.ts'
import { confirmDisconnect } from './disconnect.ts'
import { problemText } from './frame.ts'
import { repeatWhileShown } from './polling.ts'
import { credentialPath, loadCredential, runTaskStep, type Session } from './session.ts'
import type { SyncAction } from './sync-buttons.ts'

const REFRESH_MS = 5_000

/** An account to show. */
export interface Account {
  readonly app: ConnectableApp
  readonly credentialId: string
  /** Returns to the list of apps. */
  readonly back: () => void
  /** Called with what has been done. */
  readonly onDisconnected: (notice: string) => void
}

const show = (session: Session, account: Account, credential: Credential, notice = ''): void => {
  const { client, frame, texts } = session
  const { app, credentialId, back, onDisconnected } = account
  const path = credentialPath(session, credentialId)
  const label = credential.label ?? app.name
  const reload = (): void => showAccount(session, account)
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
      view.fail(problemText(texts, error))
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
      view.fail(problemText(texts, error))
      isOutdated = true
      return error.code !== 'UNAUTHENTICATED' && error.code !== 'CREDENTIAL_NOT_FOUND'
    }
  }

  const view = createAccountView({
    texts,
    app,
    credential,
    act: (action, topic) => void act(action, topic),
    connectAgain: () =>
      connectApp(session, {
        app,
        credential,
        back: reload,
        onConnected: () => {
          session.report({ success: true, credentialId })
          showAccount(session, account, texts.text('account.connectedAgain', { account: label }))
        },
      }),
    disconnect: () =>
      confirmDisconnect(session, {
        app,
        credential,
        back: reload,
        onDisconnected: () =>
          onDisconnected(texts.text('account.disconnected', { account: label })),
      }),
  })
  const screen = frame.show({ title: view.title, content: view.content, back })
  view.announce(notice)
  repeatWhileShown(screen, REFRESH_MS, refresh)
}

/** Shows a connected account. @param notice What has just been done. */
export const showAccount = (session: Session, account: Account, notice?: string): void =>
  runTaskStep(
    session,
    async () => show(session, account, await loadCredential(session, account.credentialId), notice),
    account.back,
  )
