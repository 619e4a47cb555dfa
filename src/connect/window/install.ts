/** The task `install`: installs an integration, and connects its app first if necessary. */
import type {
  ConnectableApp,
  Credential,
  Installation,
  Integration,
} from '../../generated/sdk-types.ts'
import { TrunklineError } from '../../sdk/client.ts'
import type { ModalTask } from '../../sdk/messages.ts'
import { connectApp } from './connect-app.ts'
import { element } from './dom.ts'
import {
  listApps,
  loadCredentials,
  outcomeContent,
  runTaskStep,
  type Session,
  stateAndProgress,
} from './session.ts'

interface Plan {
  readonly integration: Integration
  readonly app: ConnectableApp
  /** The end user's credentials of the app, oldest first. */
  readonly credentials: readonly Credential[]
}

/** Credentials of other apps in the existing installation. They are kept: only the one of `app` is chosen here. */
const otherCredentialIds = async (
  { client }: Session,
  { integration, credentials }: Plan,
): Promise<readonly string[]> => {
  const installations = await client.get<readonly Installation[]>(
    `2024-03/installations?userId=${client.userId}`,
  )
  const existing = installations.find((one) => one.integrationId === integration.integrationId)
  const isOwn = (id: string): boolean => credentials.some((one) => one.credentialId === id)
  return existing?.credentialIds.filter((id) => !isOwn(id)) ?? []
}

const complete = (session: Session, plan: Plan, credentialId: string): void =>
  runTaskStep(session, async () => {
    const { client, report, frame } = session
    const { text } = session.texts
    const { integrationId, name } = plan.integration
    const credentialIds = [...(await otherCredentialIds(session, plan)), credentialId]
    const { installationId } = await client.post<Installation>(
      '2024-03/headless/startInstallation',
      { userId: client.userId, integrationId, credentialIds },
    )
    await client.post('2024-03/headless/completeInstallation', { installationId, data: {} })
    report({ success: true, installationId })
    frame.show({
      title: text('install.done', { name }),
      content: outcomeContent(session, [
        element('p', { role: 'status', class: 'centered' }, text('install.active')),
      ]),
    })
  })

/** Shows the workflows to install and lets the end user choose a connection. */
const confirm = (session: Session, plan: Plan): void => {
  const { integration, app, credentials } = plan
  const { texts, frame } = session
  const { text, date } = texts
  const optionText = (one: Credential): string =>
    text('install.option', {
      account: one.label ?? app.name,
      date: date(one.createdAt),
      state: stateAndProgress(texts, one),
    })
  const choice = element(
    'select',
    { id: 'credential' },
    ...credentials
      .toReversed()
      .map((one) => element('option', { value: one.credentialId }, optionText(one))),
  )
  const submit = (event: Event): void => {
    event.preventDefault()
    complete(session, plan, choice.value)
  }
  frame.show({
    title: text('install.title', { name: integration.name }),
    content: [
      integration.icon !== null &&
        element('img', {
          class: 'integration',
          src: integration.icon,
          alt: '',
          referrerpolicy: 'no-referrer',
        }),
      element('p', {}, text('install.about')),
      element(
        'ul',
        { class: 'workflows' },
        ...integration.workflows.map(({ name }) => element('li', {}, name)),
      ),
      element(
        'form',
        { submit },
        element(
          'div',
          { class: 'field' },
          element('label', { for: 'credential' }, text('install.connection')),
          choice,
        ),
        element(
          'button',
          { class: 'main' },
          text(integration.installed ? 'install.again' : 'install.submit'),
        ),
      ),
    ],
  })
}

/** Runs the task. */
export const install = (
  session: Session,
  { integrationId }: Extract<ModalTask, { kind: 'install' }>,
): void =>
  runTaskStep(session, async () => {
    const { client } = session
    const [integration, apps, all] = await Promise.all([
      client.get<Integration>(
        `2024-03/integrations/${encodeURIComponent(integrationId)}?userId=${client.userId}`,
      ),
      listApps(session),
      loadCredentials(session),
    ])
    const app = apps.find((one) => one.app === integration.app)
    if (!app) throw new TrunklineError('NOT_FOUND', session.texts.text('error.noAppOfIntegration'))
    const credentials = all.filter((one) => one.app === app.app)
    if (credentials.length > 0) confirm(session, { integration, app, credentials })
    // Once connected, start over: the new connection is then in the list.
    else
      connectApp(session, {
        app,
        back: undefined,
        onConnected: () => install(session, { kind: 'install', integrationId }),
      })
  })
