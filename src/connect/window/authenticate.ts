/** The task `authenticate`: connects an app that the page names, or that the end user chooses. */
import type { ConnectableApp, Credential } from '../../generated/sdk-types.ts'
import { TrunklineError } from '../../sdk/client.ts'
import type { ModalTask } from '../../sdk/messages.ts'
import { showAccount } from './account.ts'
import { element } from './dom.ts'
import {
  connectApp,
  dayOf,
  finish,
  isProblem,
  listApps,
  loadCredential,
  loadCredentials,
  runStep,
  type Session,
  stateText,
} from './session.ts'

const connect = (session: Session, app: ConnectableApp, back?: () => void): void =>
  connectApp(
    session,
    app,
    (credentialId) => {
      session.report({ success: true, credentialId })
      showOutcome(session, app, credentialId)
    },
    back,
  )

const showOutcome = (session: Session, app: ConnectableApp, credentialId: string): void =>
  runStep(session, async () => {
    const credential = await loadCredential(session, credentialId)
    const { label, reason, action } = credential
    if (isProblem(credential))
      finish(session, `${app.name} is connected, but its sync fails`, `${reason}. ${action}`, true)
    else
      finish(
        session,
        `${app.name} is connected`,
        `${label === null ? 'Your data' : `The data of ${label}`} is now being imported.`,
      )
  })

const describe = (credential: Credential): string =>
  [credential.label, `Connected ${dayOf(credential)}`, stateText(credential)]
    .filter((part) => part !== null)
    .join(' · ')

/** Shows the list of apps, with the accounts that are already connected. */
const choose = (
  session: Session,
  apps: readonly ConnectableApp[],
  credentials: readonly Credential[],
): void => {
  const backToChoice = (): void => choose(session, apps, credentials)
  // The account may have changed.
  const reload = (): void =>
    runStep(session, async () => choose(session, apps, await loadCredentials(session)))
  const account = (app: ConnectableApp, credential: Credential): HTMLElement =>
    element(
      'li',
      {},
      element(
        'button',
        {
          type: 'button',
          class: isProblem(credential) ? 'account problem' : 'account',
          click: () => showAccount(session, app, credential.credentialId, reload),
        },
        describe(credential),
      ),
    )
  const entry = (app: ConnectableApp): HTMLElement => {
    const accounts = credentials.filter((one) => one.app === app.app)
    return element(
      'li',
      {},
      element(
        'button',
        { type: 'button', class: 'choice', click: () => connect(session, app, backToChoice) },
        element('strong', {}, app.name),
        element('span', {}, app.description),
      ),
      accounts.length > 0 &&
        element(
          'ul',
          { class: 'accounts', 'aria-label': `Connected accounts of ${app.name}` },
          ...accounts.map((credential) => account(app, credential)),
        ),
    )
  }
  session.frame.show({
    title: 'Connect an app',
    content:
      apps.length > 0
        ? [element('ul', { class: 'choices' }, ...apps.map(entry))]
        : [element('p', {}, 'No apps are available to connect.')],
  })
}

/** Runs the task. */
export const authenticate = (
  session: Session,
  { app: requestedApp, category }: Extract<ModalTask, { kind: 'authenticate' }>,
): void =>
  runStep(session, async () => {
    const [all, credentials] = await Promise.all([listApps(session), loadCredentials(session)])
    if (requestedApp !== undefined) {
      const app = all.find((one) => one.app === requestedApp)
      if (!app) throw new TrunklineError('NOT_FOUND', `No app is named "${requestedApp}".`)
      connect(session, app)
      return
    }
    const isShown = ({ categories }: ConnectableApp): boolean =>
      category === undefined || categories.includes(category)
    choose(session, all.filter(isShown), credentials)
  })
