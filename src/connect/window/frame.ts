/** The frame around every screen: the integrator's product, heading, back button and close button. */
import type { Appearance } from '../../sdk/appearance.ts'
import type { TrunklineError } from '../../sdk/client.ts'
import { type Child, element } from './dom.ts'
import type { Texts } from './strings/texts.ts'

/** One screen of the Connect UI. */
export interface Screen {
  readonly title: string
  readonly content: readonly Child[]
  /** Returns to the previous screen. Without it, there is no back button. */
  readonly back?: (() => void) | undefined
}

/** Shows screens, one at a time. */
export interface Frame {
  /** Replaces the current screen. @returns its element, which is disconnected once another screen is shown */
  show(screen: Screen): HTMLElement
  /** Shows a loading message until the next screen. */
  wait(): void
}

export interface FrameOptions {
  readonly root: HTMLElement
  readonly texts: Texts
  readonly appearance: Appearance
  /** Called when the end user clicks Close. */
  readonly close: () => void
}

const brandOf = ({ name, logoUrl }: Appearance): Child =>
  (name !== undefined || logoUrl !== undefined) &&
  element(
    'p',
    { class: 'brand' },
    logoUrl !== undefined &&
      element('img', { src: logoUrl, alt: '', referrerpolicy: 'no-referrer' }),
    name,
  )

/** Creates the frame. */
export const createFrame = ({ root, texts, appearance, close }: FrameOptions): Frame => {
  const { text } = texts
  const iconButton = (label: string, sign: string, click: () => void): HTMLElement =>
    element('button', { type: 'button', class: 'icon', 'aria-label': label, click }, sign)
  const closeButton = (): HTMLElement => iconButton(text('close'), '×', close)
  return {
    show: ({ title, content, back }) => {
      const heading = element('h1', { tabindex: -1 }, title)
      const main = element('main', {}, ...content)
      root.replaceChildren(
        element(
          'header',
          {},
          back ? iconButton(text('back'), '‹', back) : element('span', { class: 'icon' }),
          element('div', {}, brandOf(appearance), heading),
          closeButton(),
        ),
        main,
      )
      scrollTo(0, 0)
      // Screen readers announce the heading, and the next Tab enters the screen.
      heading.focus()
      return main
    },
    wait: () =>
      root.replaceChildren(
        element(
          'header',
          {},
          element('span', { class: 'icon' }),
          element('div', {}, brandOf(appearance)),
          closeButton(),
        ),
        element('main', { 'aria-busy': 'true' }, element('p', { role: 'status' }, text('wait'))),
      ),
  }
}

/** Error message for the end user. */
export const problemText = ({ text }: Texts, { code, message }: TrunklineError): string => {
  switch (code) {
    case 'UNAUTHENTICATED':
      return text('error.sessionEnded')
    case 'UNREACHABLE':
      return text('error.unreachable')
    case 'RATE_LIMITED':
      return text('error.tooMany')
    case 'APP_AUTHENTICATION':
      return text('error.rejected')
    default:
      return message
  }
}
