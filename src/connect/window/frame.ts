/** The frame around every screen: heading, back button and close button. */
import type { TrunklineError } from '../../sdk/client.ts'
import { type Child, element } from './dom.ts'

/** One screen of the Connect UI. */
export interface Screen {
  readonly title: string
  readonly content: readonly Child[]
  /** Returns to the previous screen. Without it, there is no back button. */
  readonly back?: () => void
}

/** Shows screens, one at a time. */
export interface Frame {
  /** Replaces the current screen. @returns its element, which is disconnected once another screen is shown */
  show(screen: Screen): HTMLElement
  /** Shows a loading message until the next screen. */
  wait(): void
}

/** Creates the frame. @param close Called when the end user clicks Close. */
export const createFrame = (root: HTMLElement, close: () => void): Frame => {
  const closeButton = (): HTMLElement =>
    element('button', { type: 'button', class: 'icon', 'aria-label': 'Close', click: close }, '×')
  return {
    show: ({ title, content, back }) => {
      const heading = element('h1', { tabindex: -1 }, title)
      const main = element('main', {}, ...content)
      root.replaceChildren(
        element(
          'header',
          {},
          back
            ? element(
                'button',
                { type: 'button', class: 'icon', 'aria-label': 'Back', click: back },
                '‹',
              )
            : element('span', { class: 'icon' }),
          heading,
          closeButton(),
        ),
        main,
      )
      // Screen readers announce the heading, and the next Tab enters the screen.
      heading.focus()
      return main
    },
    wait: () =>
      root.replaceChildren(
        element('header', {}, element('span', { class: 'icon' }), element('span'), closeButton()),
        element('main', { 'aria-busy': 'true' }, element('p', { role: 'status' }, 'One moment…')),
      ),
  }
}

/** Error message for the end user. */
export const problemText = ({ code, message }: TrunklineError): string => {
  switch (code) {
    case 'UNAUTHENTICATED':
      return 'Your session has ended. Close this window, reload the page and try again.'
    case 'UNREACHABLE':
      return 'The service is unreachable. Check your connection and try again.'
    case 'RATE_LIMITED':
      return 'Too many attempts. Wait a minute and try again.'
    case 'APP_AUTHENTICATION':
      return 'The app rejected these credentials. Check each value and try again.'
    default:
      return message
  }
}
