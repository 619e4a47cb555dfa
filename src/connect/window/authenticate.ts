/** Connecting an app: of all, of a category, or the one that the page names. */
import type { ConnectableApp, Credential } from '../../generated/sdk-types.ts'
import { TrunklineError } from '../../sdk/client.ts'
import type { Task } from '../../sdk/messages.ts'
import { element } from './dom.ts'
import {
  connectApp,
  dayOf,
  finish,
  listApps,
  listCredentials,
  proceed,
  type Session,
} from './session.ts'

const connect = (session: Session, app: ConnectableApp, back?: () => void): void =>
  connectApp(
    session,
    app,
    (credentialId) => {
      session.tell({ success: true, credentialId })
      finish(session, `${app.name} is connected`, 'Your records are being brought in.')
    },
    back,
  )

/** The choice among apps; those that are connected say since when. */
const choose = (
  session: Session,
  apps: readonly ConnectableApp[],
  credentials: readonly Credential[],
): void => {
  const again = (): void => choose(session, apps, credentials)
  const entry = (app: ConnectableApp): HTMLElement => {
    const last = credentials.findLast((one) => one.app === app.app)
    return element(
      'li',
      {},
      element(
        'button',
        { type: 'button', class: 'choice', click: () => connect(session, app, again) },
        element('strong', {}, app.name),
        element('span', {}, app.description),
        last && element('span', { class: 'since' }, `Connected ${dayOf(last)}`),
      ),
    )
  }
  session.frame.show({
    title: 'Connect an app',
    content:
      apps.length > 0
        ? [element('ul', { class: 'choices' }, ...apps.map(entry))]
        : [element('p', {}, 'There is no app to connect here.')],
  })
}

export const authenticate = (
  session: Session,
  { app: named, category }: Extract<Task, { kind: 'authenticate' }>,
): void =>
  proceed(session, async () => {
    const [all, credentials] = await Promise.all([listApps(session), listCredentials(session)])
    if (named !== undefined) {
      const app = all.find((one) => one.app === named)
      if (!app) throw new TrunklineError('NOT_FOUND', `There is no app named ${named}.`)
      connect(session, app)
      return
    }
    const isShown = ({ categories }: ConnectableApp): boolean =>
      category === undefined || categories.includes(category)
    choose(session, all.filter(isShown), credentials)
  })
