/** The screen with the connected accounts and the apps that can be connected. */
import type { ConnectableApp, Credential } from '../../generated/sdk-types.ts'
import { matchesFilter } from './app-filter.ts'
import { type Child, element, setText } from './dom.ts'
import { createMark } from './mark.ts'
import { isProblem, type Session, stateAndProgress } from './session.ts'
import type { Texts } from './strings/texts.ts'

/** Up to this number of apps, there is nothing to search. */
const FEW = 5

export interface AppList {
  readonly apps: readonly ConnectableApp[]
  /** The connected accounts of all apps. */
  readonly credentials: readonly Credential[]
  /** What has just been done. */
  readonly notice?: string | undefined
  readonly connect: (app: ConnectableApp) => void
  readonly showAccount: (app: ConnectableApp, credential: Credential) => void
}

const section = (id: string, title: string, ...content: readonly Child[]): HTMLElement =>
  element('section', { 'aria-labelledby': id }, element('h2', { id }, title), ...content)

/** The apps, with a heading if there are accounts above. */
const appsSection = ({ text }: Texts, hasAccounts: boolean, content: readonly Child[]) =>
  hasAccounts ? section('apps', text('apps.available'), ...content) : element('div', {}, ...content)

const choice = (app: string, click: () => void, ...lines: readonly Child[]): HTMLElement =>
  element(
    'li',
    {},
    element(
      'button',
      { type: 'button', class: 'choice', click },
      createMark(app),
      element('span', { class: 'lines' }, ...lines),
    ),
  )

const accountChoice = (
  texts: Texts,
  app: ConnectableApp,
  credential: Credential,
  click: () => void,
): HTMLElement => {
  const { label, createdAt } = credential
  const connected = texts.text('account.connectedOn', { date: texts.date(createdAt) })
  return choice(
    app.name,
    click,
    element('strong', {}, label ?? app.name),
    // Accounts with the same label differ in their date.
    element('span', {}, label === null ? connected : `${app.name} · ${connected}`),
    element(
      'span',
      { class: isProblem(credential) ? 'problem' : 'good' },
      stateAndProgress(texts, credential),
    ),
  )
}

/** Inputs that filter the list of apps. @param onChange Shows the apps that match. */
const createFilter = (
  { text, name }: Texts,
  categories: readonly string[],
  onChange: (words: string, category: string) => void,
): HTMLElement => {
  const search = element('input', {
    type: 'search',
    id: 'search',
    autocomplete: 'off',
    placeholder: text('apps.search'),
    input: () => change(),
  })
  const select = element(
    'select',
    { id: 'category', change: () => change() },
    element('option', { value: '' }, text('apps.allCategories')),
    ...categories.map((one) => element('option', { value: one }, name(`category.${one}`))),
  )
  const change = (): void => onChange(search.value, select.value)
  return element(
    'search',
    { class: 'filter' },
    element('label', { for: 'search', class: 'unseen' }, text('apps.search')),
    search,
    element('label', { for: 'category', class: 'unseen' }, text('apps.category')),
    categories.length > 1 && select,
  )
}

const createApps = ({ texts }: Session, { apps, connect }: AppList): readonly Child[] => {
  const { text, name } = texts
  const entries = apps.map((app) => ({
    app,
    item: choice(
      app.name,
      () => connect(app),
      element('strong', {}, app.name),
      element('span', {}, app.description),
    ),
  }))
  const list = element('ul', {}, ...entries.map(({ item }) => item))
  if (apps.length <= FEW) return [list]
  const found = element('p', { role: 'status', class: 'about' })
  const filter = (words: string, category: string): void => {
    for (const { app, item } of entries)
      item.hidden = !matchesFilter(app, { words, category }, (one) => name(`category.${one}`))
    setText(found, text('apps.found', { count: entries.filter(({ item }) => !item.hidden).length }))
  }
  const categories = [...new Set(apps.flatMap((one) => one.categories))]
  return [createFilter(texts, categories, filter), found, list]
}

/** Shows the screen. */
export const showApps = (session: Session, list: AppList): void => {
  const { frame, texts } = session
  const { text } = texts
  const { apps, credentials, notice } = list
  const accounts = credentials.flatMap((credential) => {
    const app = apps.find((one) => one.app === credential.app)
    return app
      ? [accountChoice(texts, app, credential, () => list.showAccount(app, credential))]
      : []
  })
  const done = element('p', { role: 'status', class: 'panel' })
  frame.show({
    title: text('apps.title'),
    content: [
      notice !== undefined && done,
      accounts.length > 0 &&
        section('accounts', text('apps.accounts'), element('ul', {}, ...accounts)),
      apps.length > 0
        ? appsSection(texts, accounts.length > 0, createApps(session, list))
        : element('p', {}, text('apps.none')),
    ],
  })
  // Screen readers announce what changes in the element, not what it has when it appears.
  setText(done, notice ?? '')
}
