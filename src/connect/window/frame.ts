/** What every screen stands in: the heading, the way back, the way out, and what went wrong. */
import type { TrunklineError } from '../../sdk/client.ts'
import { type Child, element } from './dom.ts'

export interface Screen {
  readonly title: string
  readonly content: readonly Child[]
  /** To the screen before. */
  readonly back?: () => void
}

export interface Frame {
  /** Shows a screen in place of the one that is there. */
  show(screen: Screen): void
  /** Shows that something is on its way, until a screen is shown. */
  wait(): void
}

/** @param close The end user wants out. */
export const createFrame = (root: HTMLElement, close: () => void): Frame => {
  const out = (): HTMLElement =>
    element('button', { type: 'button', class: 'icon', 'aria-label': 'Close', click: close }, '×')
  return {
    show: ({ title, content, back }) => {
      const heading = element('h1', { tabindex: -1 }, title)
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
          out(),
        ),
        element('main', {}, ...content),
      )
      // Read aloud, and the next Tab leads into the screen.
      heading.focus()
    },
    wait: () =>
      root.replaceChildren(
        element('header', {}, element('span', { class: 'icon' }), element('span'), out()),
        element('main', { 'aria-busy': 'true' }, element('p', { role: 'status' }, 'One moment…')),
      ),
  }
}

/** What went wrong, in words for an end user. */
export const problemText = ({ code, message }: TrunklineError): string => {
  switch (code) {
    case 'UNAUTHENTICATED':
      return 'Your session has ended. Close this window, reload the page and try again.'
    case 'UNREACHABLE':
      return 'The service cannot be reached. Check your connection and try again.'
    case 'RATE_LIMITED':
      return 'Too many attempts. Wait a minute and try again.'
    case 'APP_AUTHENTICATION':
      return 'The app does not accept this. Check each value and try again.'
    default:
      return message
  }
}
