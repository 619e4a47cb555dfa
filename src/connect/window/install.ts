/** Installing an integration: its app is connected first, if it is not. */
import type {
  ConnectableApp,
  Credential,
  Installation,
  Integration,
} from '../../generated/sdk-types.ts'
import { TrunklineError } from '../../sdk/client.ts'
import type { Task } from '../../sdk/messages.ts'
import { element } from './dom.ts'
import {
  connectApp,
  dayOf,
  finish,
  listApps,
  listCredentials,
  proceed,
  type Session,
} from './session.ts'

interface Plan {
  readonly integration: Integration
  readonly app: ConnectableApp
  /** Of the app, oldest first. */
  readonly credentials: readonly Credential[]
}

/** Of an earlier installation, the credentials of other apps: only the one of its own app is chosen here. */
const chosenBefore = async (
  { client }: Session,
  { integration, credentials }: Plan,
): Promise<readonly string[]> => {
  const installations = await client.get<readonly Installation[]>(
    `2024-03/installations?userId=${client.userId}`,
  )
  const before = installations.find((one) => one.integrationId === integration.integrationId)
  const isOwn = (id: string): boolean => credentials.some((one) => one.credentialId === id)
  return before?.credentialIds.filter((id) => !isOwn(id)) ?? []
}

const complete = (session: Session, plan: Plan, credentialId: string): void =>
  proceed(session, async () => {
    const { client, tell } = session
    const { integration, app } = plan
    const { integrationId } = integration
    const credentialIds = [...(await chosenBefore(session, plan)), credentialId]
    const { installationId } = await client.post<Installation>(
      '2024-03/headless/startInstallation',
      { userId: client.userId, integrationId, credentialIds },
    )
    await client.post('2024-03/headless/completeInstallation', { installationId, data: {} })
    tell({ success: true, installationId })
    finish(session, `${app.name} is installed`, 'It works from now on.')
  })

/** What will be installed, and with which of the end user's connections. */
const confirm = (session: Session, plan: Plan): void => {
  const { integration, app, credentials } = plan
  const choice = element(
    'select',
    { id: 'credential' },
    ...credentials
      .toReversed()
      .map((one) =>
        element('option', { value: one.credentialId }, `${app.name}, connected ${dayOf(one)}`),
      ),
  )
  const submit = (event: Event): void => {
    event.preventDefault()
    complete(session, plan, choice.value)
  }
  session.frame.show({
    title: `Install ${app.name}`,
    content: [
      integration.icon !== null &&
        element('img', { src: integration.icon, alt: '', referrerpolicy: 'no-referrer' }),
      element('p', {}, 'This will be set up for you:'),
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
          element('label', { for: 'credential' }, 'With the connection'),
          choice,
        ),
        element('button', { class: 'main' }, integration.installed ? 'Install again' : 'Install'),
      ),
    ],
  })
}

export const install = (
  session: Session,
  { integrationId }: Extract<Task, { kind: 'install' }>,
): void =>
  proceed(session, async () => {
    const { client } = session
    const [integration, apps, all] = await Promise.all([
      client.get<Integration>(
        `2024-03/integrations/${encodeURIComponent(integrationId)}?userId=${client.userId}`,
      ),
      listApps(session),
      listCredentials(session),
    ])
    const app = apps.find((one) => one.app === integration.app)
    if (!app) throw new TrunklineError('NOT_FOUND', 'The app of this integration is not there.')
    const credentials = all.filter((one) => one.app === app.app)
    if (credentials.length > 0) confirm(session, { integration, app, credentials })
    // Connected, it begins anew, with the connection in the list.
    else connectApp(session, app, () => install(session, { kind: 'install', integrationId }))
  })
