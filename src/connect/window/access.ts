/** What a connection gives access to: the app's resources by name, and which of them can be changed. */
import type { ConnectableApp } from '../../generated/sdk-types.ts'
import { type Child, element } from './dom.ts'
import type { Session } from './session.ts'
import type { Texts } from './strings/texts.ts'

/** Up to this number of resources, all are shown from the start. */
const FEW = 6

const describeCategory = (
  { resources }: ConnectableApp,
  category: string,
  { text, name, list }: Texts,
): HTMLElement => {
  const own = resources.filter(({ topic }) => topic.startsWith(`${category}/`))
  const namesOf = (isWritable: boolean): string =>
    list(own.filter(({ writable }) => writable === isWritable).map(({ topic }) => name(topic)))
  const writable = namesOf(true)
  const readOnly = namesOf(false)
  return element(
    'div',
    {},
    element('dt', {}, name(`category.${category}`)),
    element(
      'dd',
      {},
      writable !== '' && element('p', {}, text('access.readAndWrite', { resources: writable })),
      readOnly !== '' && element('p', {}, text('access.readOnly', { resources: readOnly })),
    ),
  )
}

/** Creates the section that an end user reads before connecting an app. */
export const accessSection = ({ texts, appearance }: Session, app: ConnectableApp): HTMLElement => {
  const { text } = texts
  const { name: product } = appearance
  const count = app.resources.length
  const writable = app.resources.filter((one) => one.writable).length
  const categories = element(
    'dl',
    { class: 'access' },
    ...app.categories.map((category) => describeCategory(app, category, texts)),
  )
  const title = product === undefined ? text('access.title') : text('access.titleOf', { product })
  const summary =
    writable === count
      ? [text('access.all', { count })]
      : [
          text('access.read', { count }),
          ...(writable > 0 ? [text('access.write', { count: writable })] : []),
        ]
  const shown: Child =
    count > FEW
      ? element('details', {}, element('summary', {}, text('access.details')), categories)
      : categories
  return element(
    'section',
    { class: 'panel', 'aria-labelledby': 'access-title' },
    element('h2', { id: 'access-title' }, title),
    element('p', { class: 'about' }, summary.join(' ')),
    shown,
  )
}
