/** The screens that connect an app: the choice of a method, if there are several, and the form of one. */
import type { ConnectableAppMethod } from '../../generated/sdk-types.ts'
import { accessSection } from './access.ts'
import { showAuthorization } from './authorization.ts'
import { methodsOf, type NewConnection } from './connection.ts'
import { createCredentialForm, type FormValues } from './credential-form.ts'
import { type Child, element } from './dom.ts'
import { createMark } from './mark.ts'
import { credentialPath, type Session } from './session.ts'
import type { Texts } from './strings/texts.ts'

/** The heading of the screens of a connection. */
const titleOf = ({ text }: Texts, { app, credential }: NewConnection): string =>
  credential
    ? text('connect.again', { account: credential.label ?? app.name })
    : text('connect.title', { app: app.name })

/** Stores the values as a new credential, or as those of the account that is connected again. */
const save = async (
  session: Session,
  { app, credential: existing }: NewConnection,
  request: {
    readonly method: string
    readonly credential: FormValues
    readonly requireResponse: boolean
  },
): Promise<string> => {
  const { client } = session
  if (!existing) {
    const body = { userId: client.userId, app: app.app, ...request }
    return client.create<string>('2024-03/headless/credentials', body, 'credentialId')
  }
  const { credentialId } = existing
  const { credential } = request
  await client.put(credentialPath(session, credentialId), { credential }, 'credential')
  return credentialId
}

interface MethodScreen {
  readonly back: (() => void) | undefined
  /** What developers read below. */
  readonly hints: readonly Child[]
}

/** Shows the form with the values of a method. */
const showForm = (
  session: Session,
  connection: NewConnection,
  { method, fields }: ConnectableAppMethod,
  { back, hints }: MethodScreen,
): void => {
  const { texts, frame } = session
  const { text } = texts
  const { app, credential, onConnected } = connection
  const connect =
    (requireResponse: boolean) =>
    async (values: FormValues): Promise<void> =>
      onConnected(await save(session, connection, { method, credential: values, requireResponse }))
  const anyway = element(
    'button',
    { type: 'button', class: 'second', hidden: true, click: () => void form.run(connect(false)) },
    text('connect.anyway'),
  )
  const form = createCredentialForm({
    texts,
    fields,
    submitText: text('connect.submit'),
    submit: connect(true),
    onProblem: (error) => {
      anyway.hidden = error.code !== 'APP_UNAVAILABLE' || credential !== undefined
    },
    before: credential ? undefined : accessSection(session, app),
    after: anyway,
  })
  frame.show({
    title: titleOf(texts, connection),
    content: [
      element('p', {}, credential ? text('connect.sameAccount') : app.description),
      form.form,
      ...hints,
    ],
    back,
  })
}

const showMethod = (
  session: Session,
  connection: NewConnection,
  method: ConnectableAppMethod,
  screen: MethodScreen,
): void => {
  if (method.type === 'oauth2') {
    const title = titleOf(session.texts, connection)
    showAuthorization(session, { ...connection, back: screen.back, method, title })
  } else showForm(session, connection, method, screen)
}

/** The name of a method. The service has English names only; in other languages, its type tells enough. */
const nameOf = (
  { text, language }: Texts,
  { app }: NewConnection,
  { type, label }: ConnectableAppMethod,
): string => {
  const isOnly = app.methods.filter((one) => one.type === type).length === 1
  if (language === 'en' || !isOnly) return label
  return type === 'oauth2' ? text('method.signIn', { app: app.name }) : text('method.enter')
}

/** On a developer's machine: the methods that lack an OAuth client. */
const describeMissing = (
  texts: Texts,
  connection: NewConnection,
  methods: readonly ConnectableAppMethod[],
): readonly Child[] =>
  /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname)
    ? methods.map((one) =>
        element(
          'p',
          { class: 'about hint' },
          texts.text('method.notConfigured', { method: nameOf(texts, connection, one) }),
        ),
      )
    : []

/** Shows the methods that can be used, or that of the only one. */
export const connectApp = (session: Session, connection: NewConnection): void => {
  const { texts, frame } = session
  const { text } = texts
  const { app, back } = connection
  const methods = methodsOf(connection)
  const offered = methods.filter(({ available }) => available)
  const missing = methods.filter(({ available }) => !available)
  const [first] = offered
  const notOffered = describeMissing(texts, connection, missing)
  if (first && offered.length === 1) {
    showMethod(session, connection, first, { back, hints: notOffered })
    return
  }
  const again = (): void => connectApp(session, connection)
  const choice = (method: ConnectableAppMethod): HTMLElement =>
    element(
      'li',
      {},
      element(
        'button',
        {
          type: 'button',
          class: 'choice',
          click: () => showMethod(session, connection, method, { back: again, hints: [] }),
        },
        element('strong', {}, nameOf(texts, connection, method)),
      ),
    )
  frame.show({
    title: titleOf(texts, connection),
    content: [
      element('div', { class: 'centered' }, createMark(app.name)),
      element('p', {}, first ? text('method.title', { app: app.name }) : text('error.noMethod')),
      element('ul', {}, ...offered.map(choice)),
      ...notOffered,
    ],
    back,
  })
}
