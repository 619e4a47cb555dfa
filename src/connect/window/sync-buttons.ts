/** The buttons that sync, pause and resume an account, or one kind of its data. */
import type { Credential } from '../../generated/sdk-types.ts'
import { element, setText } from './dom.ts'
import type { Texts } from './strings/texts.ts'

/** An operation on the syncs of a credential: the last part of its path. */
export type SyncAction = 'resync' | 'pause' | 'resume'

/** Buttons for `subject`; which of them are shown depends on its state. */
export interface SyncButtons {
  readonly group: HTMLElement
  update(state: Credential['state']): void
}

/** Creates the buttons. @param subject Its name, which screen readers announce after the text of each button. */
export const syncButtons = (
  { text }: Texts,
  subject: string,
  act: (action: SyncAction) => void,
): SyncButtons => {
  const labelOf = (action: SyncAction): string =>
    text('sync.labelled', { action: text(`sync.${action}`), subject })
  let isPaused = false
  const sync = element(
    'button',
    {
      type: 'button',
      class: 'second',
      'aria-label': labelOf('resync'),
      click: () => act('resync'),
    },
    text('sync.resync'),
  )
  // One button, which keeps the focus when its text changes.
  const toggle = element('button', {
    type: 'button',
    class: 'second',
    click: () => act(isPaused ? 'resume' : 'pause'),
  })
  return {
    group: element('div', { class: 'actions' }, sync, toggle),
    update: (state) => {
      isPaused = state === 'paused'
      sync.hidden = isPaused
      const action = isPaused ? 'resume' : 'pause'
      setText(toggle, text(`sync.${action}`))
      toggle.setAttribute('aria-label', labelOf(action))
    },
  }
}
