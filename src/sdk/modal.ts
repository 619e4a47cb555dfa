/** The window as a modal dialog over the integrator's page: a frame that holds the service's own page. */
import type { Opening, Outcome, Told } from './messages.ts'

const CSS = `
dialog { padding: 0; border: 0; border-radius: 12px; overflow: hidden; background: Canvas;
  width: min(26rem, calc(100vw - 2rem)); height: min(38rem, calc(100vh - 2rem));
  max-width: none; max-height: none; box-shadow: 0 16px 48px rgb(0 0 0 / 0.3); }
dialog::backdrop { background: rgb(15 20 30 / 0.5); }
iframe { display: block; width: 100%; height: 100%; border: 0; }
`

// Constructed: the page's Content-Security-Policy may forbid inline styles.
const stylesheet = (): CSSStyleSheet => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(CSS)
  return sheet
}

/** The window while it is shown. */
export interface Modal {
  /** Resolves once it is gone. */
  readonly closed: Promise<void>
  close(): void
}

/**
 * Shows the window until the end user is done with it or closes it.
 * @param url Of the service, ending in a slash.
 * @param onOutcome Called when there is one, while the window may still be open.
 */
export const openModal = (
  url: string,
  opening: Opening,
  onOutcome: (outcome: Outcome) => void,
): Modal => {
  const host = document.createElement('div')
  // Neither the page's styles reach the dialog, nor its own the page.
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
    // To that origin alone: the token is for no other page that the frame may hold.
    () => frame.contentWindow?.postMessage(opening, address.origin, [channel.port2]),
    { once: true },
  )
  channel.port1.onmessage = ({ data }: MessageEvent<Told>) => {
    if (data.kind === 'outcome') onOutcome(data.outcome)
    else dialog.close()
  }
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close()
  })
  frame.src = address.href
  dialog.append(frame)
  shadow.append(dialog)
  document.body.append(host)
  // Holds the focus, and gives it back.
  dialog.showModal()
  const closed = ended.then(() => {
    channel.port1.close()
    host.remove()
  })
  return { closed, close: () => dialog.close() }
}
