/** The Connect modal: a dialog over the integrator's page, with a frame that shows the Connect UI. */
import type { FrameMessage, ModalOpening, TaskOutcome } from './messages.ts'

const CSS = `
dialog { padding: 0; border: 0; border-radius: 12px; overflow: hidden; background: Canvas;
  width: min(26rem, calc(100vw - 2rem)); height: min(38rem, calc(100vh - 2rem));
  max-width: none; max-height: none; box-shadow: 0 16px 48px rgb(0 0 0 / 0.3); }
dialog::backdrop { background: rgb(15 20 30 / 0.5); }
iframe { display: block; width: 100%; height: 100%; border: 0; }
`

// A constructed stylesheet, because the page's Content-Security-Policy may forbid inline styles.
const stylesheet = (): CSSStyleSheet => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(CSS)
  return sheet
}

/** An open Connect modal. */
export interface Modal {
  /** Resolves once the modal is removed from the page. */
  readonly closed: Promise<void>
  close(): void
}

/**
 * Opens the modal. It stays until the end user finishes or closes it.
 * @param url URL of the service, with a trailing slash.
 * @param onOutcome Called when an outcome is known; the modal may still be open, and report later ones.
 */
export const openModal = (
  url: string,
  opening: ModalOpening,
  onOutcome: (outcome: TaskOutcome) => void,
): Modal => {
  const host = document.createElement('div')
  // The shadow root isolates the styles of the page and the dialog from each other.
  const shadow = host.attachShadow({ mode: 'closed' })
  shadow.adoptedStyleSheets = [stylesheet()]
  const dialog = document.createElement('dialog')
  dialog.setAttribute('aria-label', 'Connect')
  const frame = document.createElement('iframe')
  frame.title = 'Connect'
  const address = new URL('connect', url)
  const channel = new MessageChannel()
  const ended = new Promise<void>((resolve) => {
    dialog.addEventListener('close', () => resolve(), { once: true })
  })
  frame.addEventListener(
    'load',
    // The target origin keeps the token from any other page that the frame may show.
    () => frame.contentWindow?.postMessage(opening, address.origin, [channel.port2]),
    { once: true },
  )
  channel.port1.onmessage = ({ data }: MessageEvent<FrameMessage>) => {
    if (data.kind === 'outcome') onOutcome(data.outcome)
    else if (data.kind === 'title') {
      dialog.setAttribute('aria-label', data.title)
      frame.title = data.title
    } else dialog.close()
  }
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close()
  })
  frame.src = address.href
  dialog.append(frame)
  shadow.append(dialog)
  document.body.append(host)
  // showModal traps the focus and restores it on close.
  dialog.showModal()
  const closed = ended.then(() => {
    channel.port1.close()
    host.remove()
  })
  return { closed, close: () => dialog.close() }
}
