/** What the screen of a connected account shows. */
import type { ConnectableApp, Credential, ResourceSync } from '../../generated/sdk-types.ts'
import { type Child, element, setText } from './dom.ts'
import { progressText, stateText } from './session.ts'
import type { Texts } from './strings/texts.ts'
import { type SyncAction, syncButtons } from './sync-buttons.ts'

/** Name of a resource for people: `accounting/taxRates` becomes "Tax rates (Accounting)". */
const nameOf = ({ text, name }: Texts, topic: string): string => {
  const [category = ''] = topic.split('/')
  return text('account.resource', { resource: name(topic), category: name(`category.${category}`) })
}

/** The state, and since when. The start of a first sync is left out: it is the date of the connection, which is shown above. */
const stateSince = ({ text, time }: Texts, { state, since }: Credential): string => {
  const name = text(`state.${state}`)
  return since === null || state === 'syncing'
    ? name
    : text('state.since', { state: name, time: time(since) })
}

const nextSync = ({ text, time }: Texts, { state, nextSyncAt }: Credential): string => {
  if (nextSyncAt !== null) return time(nextSyncAt)
  return state === 'paused' ? text('account.afterResume') : text('account.inProgress')
}

const createFacts = (texts: Texts) => {
  const { text, time } = texts
  const fact = (label: string) => {
    const value = element('dd')
    return { value, row: element('div', {}, element('dt', {}, label), value) }
  }
  const imported = fact(text('account.imported'))
  const lastSync = fact(text('account.lastSync'))
  const next = fact(text('account.nextSync'))
  const bar = element('progress', { 'aria-label': text('outcome.progress') })
  return {
    list: element('div', {}, bar, element('dl', {}, imported.row, lastSync.row, next.row)),
    update: (credential: Credential): void => {
      const { lastCompletedAt, counts, state } = credential
      bar.hidden = state !== 'syncing'
      bar.max = counts.resources
      bar.value = counts.resourcesCompleted
      setText(imported.value, progressText(texts, credential))
      setText(
        lastSync.value,
        lastCompletedAt === null ? text('account.noSync') : time(lastCompletedAt),
      )
      setText(next.value, nextSync(texts, credential))
    },
  }
}

/** Performs an action on all syncs of the account, or on that of one topic. */
type Act = (action: SyncAction, topic?: string) => void

const createResource = (texts: Texts, { topic }: ResourceSync, act: Act) => {
  const { text, time } = texts
  const name = nameOf(texts, topic)
  const state = element('span')
  const buttons = syncButtons(texts, name, (action) => act(action, topic))
  return {
    item: element('li', {}, element('strong', {}, name), state, buttons.group),
    update: (resource: ResourceSync): void => {
      const { records, lastCompletedAt } = resource
      const parts = [
        stateText(texts, resource),
        text('records', { count: records }),
        lastCompletedAt === null
          ? text('account.notSynced')
          : text('account.synced', { time: time(lastCompletedAt) }),
      ]
      setText(state, parts.join(' · '))
      buttons.update(resource.state)
    },
  }
}

/** The content of the screen, which is created once and then updated, so that the focus stays where it is. */
export interface AccountView {
  readonly title: string
  readonly content: readonly Child[]
  update(credential: Credential): void
  /** Shows that an action succeeded. */
  confirm(action: SyncAction, topic?: string): void
  /** Shows what has been done. */
  announce(text: string): void
  /** Shows an error; with an empty text, none. */
  fail(text: string): void
}

export interface AccountViewOptions {
  readonly texts: Texts
  readonly app: ConnectableApp
  readonly credential: Credential
  readonly act: Act
  readonly connectAgain: () => void
  readonly disconnect: () => void
}

/** Creates the view of an account. */
export const createAccountView = (options: AccountViewOptions): AccountView => {
  const { texts, app, credential, act } = options
  const { text, date } = texts
  const title = credential.label ?? app.name
  const state = element('strong')
  const reason = element('p', { class: 'problem' })
  const advice = element('p', { class: 'about' })
  const facts = createFacts(texts)
  const buttons = syncButtons(texts, title, act)
  const resources = new Map(
    credential.resources.map((resource) => [resource.topic, createResource(texts, resource, act)]),
  )
  const items = [...resources.values()].map(({ item }) => item)
  const button = (label: string, name: string, click: () => void): HTMLButtonElement =>
    element('button', { type: 'button', class: name, click }, label)
  const again = button(text('account.connectAgain'), 'second', options.connectAgain)
  const disconnect = button(text('account.disconnect'), 'second bad', options.disconnect)
  const notice = element('p', { role: 'status', class: 'notice' })
  const alert = element('p', { role: 'alert', class: 'problem notice' })

  const update = (current: Credential): void => {
    setText(state, stateSince(texts, current))
    setText(
      reason,
      current.reason === null ? '' : text('account.reason', { reason: current.reason }),
    )
    setText(advice, current.action ?? '')
    facts.update(current)
    buttons.update(current.state)
    again.className = current.state === 'needs_reconnect' ? 'main' : 'second'
    for (const resource of current.resources) resources.get(resource.topic)?.update(resource)
  }
  update(credential)
  return {
    title,
    content: [
      element(
        'p',
        { class: 'about' },
        text('account.about', { app: app.name, date: date(credential.createdAt) }),
      ),
      element('div', { role: 'status', class: 'state' }, state, reason, advice),
      facts.list,
      buttons.group,
      element('div', { class: 'actions' }, again, disconnect),
      element(
        'details',
        {},
        element('summary', {}, text('kinds', { count: items.length })),
        element('ul', { class: 'resources' }, ...items),
      ),
      notice,
      alert,
    ],
    update,
    confirm: (action, topic) => {
      const subject = topic === undefined ? title : nameOf(texts, topic)
      setText(notice, text(`sync.${action}Done`, { subject }))
      setText(alert, '')
    },
    announce: (done) => setText(notice, done),
    fail: (problem) => {
      setText(notice, '')
      setText(alert, problem)
    },
  }
}
