/** The screen after an app was connected, with the progress of the first sync. */
import type { ConnectableApp, Credential } from '../../generated/sdk-types.ts'
import { TrunklineError } from '../../sdk/client.ts'
import { element, setText } from './dom.ts'
import { repeatWhileShown } from './polling.ts'
import {
  isProblem,
  loadCredential,
  outcomeContent,
  progressText,
  runTaskStep,
  type Session,
} from './session.ts'

const REFRESH_MS = 2_000

const showFailing = (session: Session, { name }: ConnectableApp, credential: Credential): void => {
  const { reason, action } = credential
  const advice = element('p', { role: 'status' }, `${reason}. ${action ?? ''}`)
  session.frame.show({
    title: session.texts.text('outcome.failing', { app: name }),
    content: outcomeContent(session, [advice], true),
  })
}

const showProgress = (session: Session, app: ConnectableApp, first: Credential): void => {
  const { texts, frame } = session
  const { text } = texts
  // Announces only that the import has begun and ended; the counts change too often.
  const status = element('p', { role: 'status' })
  const bar = element('progress', { 'aria-label': text('outcome.progress') })
  const counts = element('p', { class: 'about' })

  /** @returns whether the import continues */
  const update = (credential: Credential): boolean => {
    const { label, state, counts: current } = credential
    const importing =
      label === null ? text('outcome.importing') : text('outcome.importingOf', { account: label })
    const isImporting = state === 'syncing'
    setText(status, isImporting ? importing : text('outcome.imported'))
    bar.max = current.resources
    bar.value = current.resourcesCompleted
    bar.hidden = !isImporting
    setText(counts, progressText(texts, credential))
    return isImporting
  }

  const refresh = async (): Promise<boolean> => {
    try {
      const credential = await loadCredential(session, first.credentialId)
      if (!isProblem(credential)) return update(credential)
      showFailing(session, app, credential)
      return false
    } catch (error) {
      if (error instanceof TrunklineError) return error.code === 'UNREACHABLE'
      throw error
    }
  }

  const isImporting = update(first)
  const screen = frame.show({
    title: text('outcome.connected', { app: app.name }),
    content: outcomeContent(session, [element('div', { class: 'centered' }, status, bar, counts)]),
  })
  if (isImporting) repeatWhileShown(screen, REFRESH_MS, refresh)
}

/** Shows that an app is connected, and its import until it is complete. */
export const showOutcome = (session: Session, app: ConnectableApp, credentialId: string): void =>
  runTaskStep(session, async () => {
    const credential = await loadCredential(session, credentialId)
    if (isProblem(credential)) showFailing(session, app, credential)
    else showProgress(session, app, credential)
  })
