/** What the screen of a connected account shows. */
import type { ConnectableApp, Credential, ResourceSync } from '../../generated/sdk-types.ts'
import { type Child, element, setText, toLabel } from './dom.ts'
import { dayOf, progressText, recordsText, stateName } from './session.ts'
import { type SyncAction, syncButtons } from './sync-buttons.ts'

const timeOf = (time: string): string =>
  new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** Name of a resource for people: `accounting/taxRates` becomes "Tax rates (accounting)". */
const nameOf = (topic: string): string => {
  const [category = '', name = ''] = topic.split('/')
  return `${toLabel(name)} (${category === 'crm' ? 'CRM' : category})`
}

/** The state with its start; a first sync started when the app was connected, which is shown elsewhere. */
const stateSince = ({ state, since }: Credential): string =>
  since === null || state === 'syncing'
    ? stateName(state)
    : `${stateName(state)} since ${timeOf(since)}`

const nextSync = ({ state, nextSyncAt }: Credential): string => {
  if (nextSyncAt !== null) return timeOf(nextSyncAt)
  return state === 'paused' ? 'After it is resumed' : 'In progress'
}

const createFacts = () => {
  const fact = (label: string) => {
    const value = element('dd')
    return { value, row: element('div', {}, element('dt', {}, label), value) }
  }
  const imported = fact('Imported')
  const lastSync = fact('Last completed sync')
  const next = fact('Next sync')
  return {
    list: element('dl', {}, imported.row, lastSync.row, next.row),
    update: (credential: Credential): void => {
      const { lastCompletedAt } = credential
      setText(imported.value, progressText(credential))
      setText(lastSync.value, lastCompletedAt === null ? 'None yet' : timeOf(lastCompletedAt))
      setText(next.value, nextSync(credential))
    },
  }
}

/** Performs an action on all syncs of the account, or on that of one topic. */
type Act = (action: SyncAction, topic?: string) => void

const createResource = ({ topic }: ResourceSync, act: Act) => {
  const name = nameOf(topic)
  const state = element('span')
  const buttons = syncButtons(name, (action) => act(action, topic))
  return {
    item: element('li', {}, element('strong', {}, name), state, buttons.group),
    update: (resource: ResourceSync): void => {
      const { reason, records, lastCompletedAt } = resource
      const parts = [
        stateName(resource.state) + (reason === null ? '' : `: ${reason}`),
        recordsText(records),
        lastCompletedAt === null ? 'not synced yet' : `synced ${timeOf(lastCompletedAt)}`,
      ]
      setText(state, parts.join(' · '))
      buttons.update(resource.state)
    },
  }
}

const DONE: Readonly<Record<SyncAction, string>> = {
  resync: 'A full sync was requested',
  pause: 'The sync was paused',
  resume: 'The sync was resumed',
}

/** The content of the screen, which is created once and then updated, so that the focus stays where it is. */
export interface AccountView {
  readonly title: string
  readonly content: readonly Child[]
  update(credential: Credential): void
  /** Shows that an action succeeded. */
  confirm(action: SyncAction, topic?: string): void
  /** Shows an error; with an empty text, none. */
  fail(text: string): void
}

/** Creates the view of an account of `app`. */
export const createAccountView = (
  app: ConnectableApp,
  credential: Credential,
  act: Act,
): AccountView => {
  const title = credential.label ?? app.name
  const state = element('strong')
  const reason = element('p', { class: 'problem' })
  const advice = element('p', { class: 'about' })
  const facts = createFacts()
  const buttons = syncButtons(title, act)
  const resources = new Map(
    credential.resources.map((resource) => [resource.topic, createResource(resource, act)]),
  )
  const items = [...resources.values()].map(({ item }) => item)
  const notice = element('p', { role: 'status', class: 'notice' })
  const alert = element('p', { role: 'alert', class: 'problem notice' })

  const update = (current: Credential): void => {
    setText(state, stateSince(current))
    setText(reason, current.reason === null ? '' : `Reason: ${current.reason}.`)
    setText(advice, current.action ?? '')
    facts.update(current)
    buttons.update(current.state)
    for (const resource of current.resources) resources.get(resource.topic)?.update(resource)
  }
  update(credential)
  return {
    title,
    content: [
      element('p', { class: 'about' }, `${app.name} · Connected ${dayOf(credential)}`),
      element('div', { role: 'status', class: 'state' }, state, reason, advice),
      facts.list,
      buttons.group,
      element(
        'details',
        {},
        element('summary', {}, `${items.length} kinds of data`),
        element('ul', { class: 'resources' }, ...items),
      ),
      notice,
      alert,
    ],
    update,
    confirm: (action, topic) => {
      setText(notice, `${DONE[action]}: ${topic === undefined ? title : nameOf(topic)}.`)
      setText(alert, '')
    },
    fail: (text) => {
      setText(notice, '')
      setText(alert, text)
    },
  }
}
