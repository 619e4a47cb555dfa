/**
 * The screens that connect an app by OAuth: the end user signs in to the app in a window of its own. The
 * service reports the outcome.
 */
import type { Authorization, ConnectableAppMethod } from '../../generated/sdk-types.ts'
import { TrunklineError } from '../../sdk/client.ts'
import { accessSection } from './access.ts'
import type { NewConnection } from './connection.ts'
import { createCredentialForm, type FormValues } from './credential-form.ts'
import { type Child, element, setText } from './dom.ts'
import { problemText } from './frame.ts'
import { repeatWhileShown } from './polling.ts'
import { openPopup, type Popup } from './popup.ts'
import { runTaskStep, type Session } from './session.ts'

const PATH = '2024-03/headless/authorizations'
const TICK_MS = 250
/** The state is requested at every sixth tick, and as soon as the window is closed. */
const TICKS_PER_REQUEST = 6

/** A connection by a method of type `oauth2`. */
export interface OAuthConnection extends NewConnection {
  readonly method: ConnectableAppMethod
  /** The heading of its screens. */
  readonly title: string
}

/** An authorization in progress. */
interface Attempt {
  readonly authorizationId: string
  /** Undefined: the browser blocked the window. */
  readonly popup: Popup | undefined
  /** Opens another window with the same values. */
  readonly startAgain: () => Promise<void>
}

/** Starts an authorization and shows its progress. Opens the window before anything else. */
const start = async (
  session: Session,
  connection: OAuthConnection,
  values: FormValues,
): Promise<void> => {
  const { client, texts } = session
  const { app, method, credential } = connection
  const popup = openPopup(texts.text('oauth.popup', { app: app.name }))
  const body = {
    userId: client.userId,
    app: app.app,
    method: method.method,
    ...(Object.keys(values).length > 0 && { credential: values }),
    ...(credential && { credentialId: credential.credentialId }),
  }
  try {
    const { authorizationId, url } = await client.post<Authorization>(PATH, body, 'authorization')
    if (url === null) throw new TrunklineError('INTERNAL', texts.text('error.noMethod'))
    popup?.load(url)
    const startAgain = (): Promise<void> => start(session, connection, values)
    wait(session, connection, { authorizationId, popup, startAgain }, url)
  } catch (error) {
    popup?.close()
    throw error
  }
}

const failureText = (
  { texts: { text } }: Session,
  { app }: NewConnection,
  state: Authorization['state'],
): string => {
  const values = { app: app.name }
  if (state === 'denied') return text('oauth.denied', values)
  return state === 'expired' ? text('oauth.expired', values) : text('oauth.failed', values)
}

const showFailure = (
  session: Session,
  connection: OAuthConnection,
  { state, reason }: Pick<Authorization, 'state' | 'reason'>,
): void => {
  const { frame, texts } = session
  const { app, back } = connection
  const again = (): void => showAuthorization(session, connection)
  frame.show({
    title: texts.text('oauth.notConnected', { app: app.name }),
    content: [
      element('p', { role: 'alert' }, failureText(session, connection, state)),
      reason !== null && element('p', { class: 'problem' }, reason),
      element('button', { type: 'button', class: 'main', click: again }, texts.text('tryAgain')),
    ],
    back: back ?? again,
  })
}

const choose = (
  session: Session,
  connection: OAuthConnection,
  authorizationId: string,
  accountId: string,
): void =>
  runTaskStep(session, async () => {
    const { client } = session
    const path = `${PATH}/${authorizationId}`
    // If an earlier choice was received, but its response was lost, there is nothing left to choose.
    const current = await client.get<Authorization>(path, 'authorization')
    const isOpen = current.state === 'choosing'
    end(
      session,
      connection,
      isOpen ? await client.post(`${path}/account`, { accountId }, 'authorization') : current,
    )
  })

const showAccounts = (
  session: Session,
  connection: OAuthConnection,
  { authorizationId, accounts }: Authorization,
): void => {
  const { text } = session.texts
  const choice = ({ accountId, label }: Authorization['accounts'][number]): HTMLElement =>
    element(
      'li',
      {},
      element(
        'button',
        {
          type: 'button',
          class: 'choice',
          click: () => choose(session, connection, authorizationId, accountId),
        },
        element('strong', {}, label),
      ),
    )
  session.frame.show({
    title: text('oauth.choose'),
    content: [
      element('p', {}, text('oauth.chooseAbout', { app: connection.app.name })),
      element('ul', {}, ...accounts.map(choice)),
    ],
    back: () => showAuthorization(session, connection),
  })
}

/** Shows what follows an authorization that is not pending. */
const end = (session: Session, connection: OAuthConnection, current: Authorization): void => {
  const { state, credentialId } = current
  if (state === 'connected' && credentialId !== null) connection.onConnected(credentialId)
  else if (state === 'choosing') showAccounts(session, connection, current)
  else showFailure(session, connection, current)
}

/** Shows that the end user is expected to act in the other window, until the authorization ends. */
const wait = (
  session: Session,
  connection: OAuthConnection,
  { authorizationId, popup, startAgain }: Attempt,
  url: string,
): void => {
  const { client, frame, texts } = session
  const { text } = texts
  const app = connection.app.name
  const status = element('p', { role: 'status' })
  const problem = element('p', { class: 'problem', role: 'alert' })
  const button = (name: string, label: string, click: () => void): HTMLButtonElement =>
    element('button', { type: 'button', class: name, click }, label)
  const show = button('second', text('oauth.show'), () => popup?.focus())
  const reopen = button('main', text('oauth.reopen'), () => {
    startAgain().catch((error: unknown) => {
      if (!(error instanceof TrunklineError)) throw error
      setText(problem, problemText(texts, error))
    })
  })
  // Each address can be opened once.
  const link = element(
    'a',
    { class: 'main', href: url, target: '_blank', rel: 'noopener', click: () => update('opened') },
    text('oauth.link', { app }),
  )

  const update = (popupState: 'open' | 'opened' | 'closed' | 'blocked'): void => {
    if (popupState === 'closed') setText(status, text('oauth.closed'))
    else
      setText(status, text(popupState === 'blocked' ? 'oauth.blocked' : 'oauth.waiting', { app }))
    show.hidden = popupState !== 'open'
    reopen.hidden = popupState === 'open' || popupState === 'blocked'
    link.hidden = popupState !== 'blocked'
  }

  /** @returns whether the authorization is pending */
  const refresh = async (isClosed: boolean): Promise<boolean> => {
    try {
      const current = await client.get<Authorization>(`${PATH}/${authorizationId}`, 'authorization')
      if (!screen.isConnected) return false
      setText(problem, '')
      if (current.state === 'pending') {
        if (popup) update(isClosed ? 'closed' : 'open')
        return true
      }
      popup?.close()
      end(session, connection, current)
      return false
    } catch (error) {
      if (!(error instanceof TrunklineError)) throw error
      setText(problem, problemText(texts, error))
      return error.code !== 'UNAUTHENTICATED'
    }
  }

  let ticks = 0
  let wasClosed = false
  const tick = async (): Promise<boolean> => {
    ticks += 1
    const isClosed = popup?.isClosed() ?? false
    const isDue = ticks % TICKS_PER_REQUEST === 0 || isClosed !== wasClosed
    wasClosed = isClosed
    return isDue ? refresh(isClosed) : true
  }

  update(popup ? 'open' : 'blocked')
  const content: readonly Child[] = [
    element('div', { class: 'spinner', 'aria-hidden': 'true' }),
    element('div', { class: 'centered' }, status),
    problem,
    reopen,
    link,
    show,
  ]
  const back = (): void => {
    popup?.close()
    showAuthorization(session, connection)
  }
  const screen = frame.show({ title: connection.title, content, back })
  // The modal is often hidden behind the other window.
  repeatWhileShown(screen, TICK_MS, tick, true)
}

/** Shows what is about to happen, and the values that the app needs for it. */
export const showAuthorization = (session: Session, connection: OAuthConnection): void => {
  const { frame, texts } = session
  const { text } = texts
  const { app, method, credential, title, back } = connection
  const { form } = createCredentialForm({
    texts,
    fields: method.fields,
    submitText: text('oauth.open', { app: app.name }),
    submit: (values) => start(session, connection, values),
    before: credential ? undefined : accessSection(session, app),
  })
  frame.show({
    title,
    content: [
      element('p', {}, credential ? text('connect.sameAccount') : app.description),
      element('p', { class: 'about' }, text('oauth.about', { app: app.name })),
      form,
    ],
    back,
  })
}
