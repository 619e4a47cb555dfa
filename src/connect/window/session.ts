/** State and steps that the screens of one open modal share. */
import type { ConnectableApp, Credential } from '../../generated/sdk-types.ts'
import type { Appearance } from '../../sdk/appearance.ts'
import { type Client, TrunklineError } from '../../sdk/client.ts'
import type { TaskOutcome } from '../../sdk/messages.ts'
import { type Child, element } from './dom.ts'
import { type Frame, problemText } from './frame.ts'
import type { Texts } from './strings/texts.ts'

/** One open modal. */
export interface Session {
  readonly client: Client
  readonly frame: Frame
  readonly texts: Texts
  /** The integrator's product; its values are valid. */
  readonly appearance: Appearance
  /** Reports the outcome to the page; the modal stays open. */
  readonly report: (outcome: TaskOutcome) => void
  /** Closes the modal. */
  readonly close: () => void
}

/** Runs a step that leads to the next screen. If it fails, an error screen offers to try again. */
export const runTaskStep = (
  { frame, texts }: Session,
  step: () => Promise<void>,
  back?: () => void,
): void => {
  const { text } = texts
  const attempt = async (): Promise<void> => {
    frame.wait()
    try {
      await step()
    } catch (error) {
      if (!(error instanceof TrunklineError)) throw error
      const retry = element(
        'button',
        { type: 'button', class: 'main', click: () => void attempt() },
        text('tryAgain'),
      )
      const problem = element('p', { class: 'problem', role: 'alert' }, problemText(texts, error))
      const content = error.code === 'UNAUTHENTICATED' ? [problem] : [problem, retry]
      frame.show({ title: text('error.title'), content, back })
    }
  }
  void attempt()
}

/** The content of the last screen; with a check mark unless `isWarning` is true. */
export const outcomeContent = (
  { close, texts }: Session,
  content: readonly Child[],
  isWarning = false,
): readonly Child[] => [
  !isWarning && element('p', { class: 'done', 'aria-hidden': 'true' }, '✓'),
  ...content,
  element('button', { type: 'button', class: 'main', click: close }, texts.text('done')),
]

/** Lists the apps that can be connected. */
export const listApps = ({ client }: Session): Promise<readonly ConnectableApp[]> =>
  client.get('2024-03/metadata/credentials')

/** The end user's credentials, oldest first. */
export const loadCredentials = ({ client }: Session): Promise<readonly Credential[]> =>
  client.get(`2024-03/users/${client.userId}/credentials`)

/** The path of one of the end user's credentials. */
export const credentialPath = ({ client }: Session, credentialId: string): string =>
  `2024-03/users/${client.userId}/credentials/${credentialId}`

/** One of the end user's credentials. */
export const loadCredential = (session: Session, credentialId: string): Promise<Credential> =>
  session.client.get(credentialPath(session, credentialId), 'credential')

/** Whether the end user has to act on the state, or wait for the app. */
export const isProblem = ({ state }: Credential): boolean =>
  state === 'failing' || state === 'needs_reconnect'

/** Imported records; in the first sync, with its progress: "1,204 records, 3 of 23 kinds of data". */
export const progressText = ({ text }: Texts, { state, counts }: Credential): string => {
  const { records, resources, resourcesCompleted } = counts
  const imported = text('records', { count: records })
  if (state !== 'syncing') return imported
  return `${imported}, ${text('progress', { completed: resourcesCompleted, count: resources })}`
}

/** State of a credential or a resource with its cause: "Sync failing: nothing answers". */
export const stateText = (
  { text }: Texts,
  { state, reason }: Pick<Credential, 'state' | 'reason'>,
): string => {
  const name = text(`state.${state}`)
  return reason === null ? name : text('state.because', { state: name, reason })
}

/** The same with the counts: "Connected · 1,204 records". */
export const stateAndProgress = (texts: Texts, credential: Credential): string =>
  `${stateText(texts, credential)} · ${progressText(texts, credential)}`
