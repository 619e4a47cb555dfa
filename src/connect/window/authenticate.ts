/** The task `authenticate`: connects an app that the page names, or that the end user chooses. */
import type { ConnectableApp } from '../../generated/sdk-types.ts'
import { TrunklineError } from '../../sdk/client.ts'
import type { ModalTask } from '../../sdk/messages.ts'
import { showAccount } from './account.ts'
import { showApps } from './app-list.ts'
import { connectApp } from './connect-app.ts'
import { showOutcome } from './outcome.ts'
import { listApps, loadCredentials, runTaskStep, type Session } from './session.ts'

const connect = (session: Session, app: ConnectableApp, back?: () => void): void =>
  connectApp(session, {
    app,
    back,
    onConnected: (credentialId) => {
      session.report({ success: true, credentialId })
      showOutcome(session, app, credentialId)
    },
  })

/** Shows the list of apps with the connected accounts. @param notice What has just been done. */
const choose = (session: Session, apps: readonly ConnectableApp[], notice?: string): void =>
  runTaskStep(session, async () => {
    const credentials = await loadCredentials(session)
    const back = (): void => choose(session, apps)
    showApps(session, {
      apps,
      credentials,
      notice,
      connect: (app) => connect(session, app, back),
      showAccount: (app, { credentialId }) =>
        showAccount(session, {
          app,
          credentialId,
          back,
          onDisconnected: (text) => choose(session, apps, text),
        }),
    })
  })

/** Runs the task. */
export const authenticate = (
  session: Session,
  { app: requestedApp, category }: Extract<ModalTask, { kind: 'authenticate' }>,
): void =>
  runTaskStep(session, async () => {
    const all = await listApps(session)
    if (requestedApp !== undefined) {
      const app = all.find((one) => one.app === requestedApp)
      if (!app)
        throw new TrunklineError(
          'NOT_FOUND',
          session.texts.text('error.noApp', { app: requestedApp }),
        )
      connect(session, app)
      return
    }
    const isShown = ({ categories }: ConnectableApp): boolean =>
      category === undefined || categories.includes(category)
    choose(session, all.filter(isShown))
  })
