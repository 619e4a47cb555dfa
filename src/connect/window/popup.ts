/** The popup window for signing in to an app. */

const SIZE = 'popup,width=560,height=720'

export interface Popup {
  /** Loads the page of the app. */
  load(url: string): void
  /**
   * Whether the window seems to be closed. A page with a Cross-Origin-Opener-Policy cuts the connection, which looks
   * the same: only the state of the authorization says how it ended.
   */
  isClosed(): boolean
  focus(): void
  close(): void
}

/**
 * Opens the window. Browsers allow it only in the event of a click, before anything is awaited, so its address may
 * follow later.
 * @param message Shown until then.
 * @returns undefined if the browser blocks it
 */
export const openPopup = (message: string): Popup | undefined => {
  const opened = window.open('about:blank', '_blank', SIZE)
  if (opened === null) return undefined
  // The app's page must not navigate this one. `noopener` would do the same, but returns no window.
  opened.opener = null
  opened.document.title = message
  opened.document.body.textContent = message
  const close = (): void => opened.close()
  addEventListener('pagehide', close, { once: true })
  return {
    load: (url) => opened.location.replace(url),
    isClosed: () => opened.closed,
    focus: () => opened.focus(),
    close,
  }
}
