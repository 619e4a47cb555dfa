/** What the screens of one opening share. */
import type { ConnectableApp, Credential } from '../../generated/sdk-types.ts'
import { type Client, TrunklineError } from '../../sdk/client.ts'
import type { Outcome } from '../../sdk/messages.ts'
import { connectAppScreen } from './connect-app.ts'
import { element } from './dom.ts'
import { type Frame, problemText } from './frame.ts'

export interface Session {
  readonly client: Client
  readonly frame: Frame
  /** Tells the page what came of it; the window stays. */
  readonly tell: (outcome: Outcome) => void
  /** The end user is done. */
  readonly close: () => void
}

/** Does what leads to the next screen; what fails is a screen of its own, from which it can be tried again. */
export const proceed = ({ frame }: Session, step: () => Promise<void>): void => {
  const attempt = async (): Promise<void> => {
    frame.wait()
    try {
      await step()
    } catch (error) {
      if (!(error instanceof TrunklineError)) throw error
      const retry = element(
        'button',
        { type: 'button', class: 'main', click: () => void attempt() },
        'Try again',
      )
      const text = element('p', { class: 'problem', role: 'alert' }, problemText(error))
      const content = error.code === 'UNAUTHENTICATED' ? [text] : [text, retry]
      frame.show({ title: 'That did not work', content })
    }
  }
  void attempt()
}

/** The last screen. */
export const finish = ({ frame, close }: Session, title: string, text: string): void =>
  frame.show({
    title,
    content: [
      element('p', { class: 'done', 'aria-hidden': 'true' }, '✓'),
      element('p', { role: 'status' }, text),
      element('button', { type: 'button', class: 'main', click: close }, 'Done'),
    ],
  })

export const listApps = ({ client }: Session): Promise<readonly ConnectableApp[]> =>
  client.get('2024-03/metadata/credentials')

/** The end user's credentials, oldest first. */
export const listCredentials = ({ client }: Session): Promise<readonly Credential[]> =>
  client.get(`2024-03/users/${client.userId}/credentials`)

/** Asks for what an app needs. */
export const connectApp = (
  { client, frame }: Session,
  app: ConnectableApp,
  connected: (credentialId: string) => void,
  back?: () => void,
): void => frame.show(connectAppScreen({ ...{ client, app, connected }, back }))

/** The day on which an app was connected, in the end user's own words. */
export const dayOf = ({ createdAt }: Credential): string =>
  new Date(createdAt).toLocaleDateString(undefined, { dateStyle: 'long' })
