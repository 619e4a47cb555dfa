/** State and steps that the screens of one open modal share. */
import type { ConnectableApp, Credential } from '../../generated/sdk-types.ts'
import { type Client, TrunklineError } from '../../sdk/client.ts'
import type { TaskOutcome } from '../../sdk/messages.ts'
import { connectAppScreen } from './connect-app.ts'
import { element } from './dom.ts'
import { type Frame, problemText } from './frame.ts'

/** One open modal. */
export interface Session {
  readonly client: Client
  readonly frame: Frame
  /** Reports the outcome to the page; the modal stays open. */
  readonly report: (outcome: TaskOutcome) => void
  /** Closes the modal. */
  readonly close: () => void
}

/** Runs a step that leads to the next screen. If it fails, an error screen offers to try again. */
export const runStep = ({ frame }: Session, step: () => Promise<void>): void => {
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
      frame.show({ title: 'Something went wrong', content })
    }
  }
  void attempt()
}

/** Shows the last screen; with a check mark unless `isWarning` is true. */
export const finish = (
  { frame, close }: Session,
  title: string,
  text: string,
  isWarning = false,
): void => {
  frame.show({
    title,
    content: [
      !isWarning && element('p', { class: 'done', 'aria-hidden': 'true' }, '✓'),
      element('p', { role: 'status' }, text),
      element('button', { type: 'button', class: 'main', click: close }, 'Done'),
    ],
  })
}

/** Lists the apps that can be connected. */
export const listApps = ({ client }: Session): Promise<readonly ConnectableApp[]> =>
  client.get('2024-03/metadata/credentials')

/** The end user's credentials, oldest first. */
export const loadCredentials = ({ client }: Session): Promise<readonly Credential[]> =>
  client.get(`2024-03/users/${client.userId}/credentials`)

/** One of the end user's credentials. */
export const loadCredential = ({ client }: Session, credentialId: string): Promise<Credential> =>
  client.get(`2024-03/users/${client.userId}/credentials/${credentialId}`, 'credential')

/** Shows the form that connects an app. */
export const connectApp = (
  { client, frame }: Session,
  app: ConnectableApp,
  onConnected: (credentialId: string) => void,
  back?: () => void,
): void => {
  frame.show(connectAppScreen({ client, app, onConnected, back }))
}

const STATE_NAMES: Readonly<Record<Credential['state'], string>> = {
  connected: 'Connected',
  syncing: 'First sync in progress',
  failing: 'Sync failing',
  needs_reconnect: 'Needs to be connected again',
  paused: 'Paused',
}

/** Whether the end user has to act on the state, or wait for the app. */
export const isProblem = ({ state }: Credential): boolean =>
  state === 'failing' || state === 'needs_reconnect'

/** State of a credential or a resource, in words. */
export const stateName = (state: Credential['state']): string => STATE_NAMES[state]

/** A number of records: "1,204 records". */
export const recordsText = (records: number): string =>
  `${records.toLocaleString()} ${records === 1 ? 'record' : 'records'}`

/** Imported records; in the first sync, with its progress: "1,204 records, 3 of 23 kinds of data". */
export const progressText = ({ state, counts }: Credential): string => {
  const { records, resources, resourcesCompleted } = counts
  const progress = `, ${resourcesCompleted} of ${resources} kinds of data`
  return recordsText(records) + (state === 'syncing' ? progress : '')
}

/** State of a credential with its cause and counts: "Connected · 1,204 records". */
export const stateText = (credential: Credential): string => {
  const { state, reason } = credential
  const name = stateName(state)
  return `${reason === null ? name : `${name}: ${reason}`} · ${progressText(credential)}`
}

/** Date on which an app was connected, in the end user's locale. */
export const dayOf = ({ createdAt }: Credential): string =>
  new Date(createdAt).toLocaleDateString(undefined, { dateStyle: 'long' })
