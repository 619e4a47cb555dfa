/** End users' use of integrations, without a window of ours. */

import type { Json } from '../../definition/connector.ts'
import {
  boolean,
  defineShape,
  json,
  list,
  object,
  reference,
  references,
  timestamp,
} from '../../definition/field.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import {
  changeInstallation,
  completeInstallation,
  deleteInstallation,
  findInstallation,
  type InstallationChange,
  type InstallationOwner,
  listInstallations,
  startInstallation,
} from '../../store/installations.ts'
import { type Caller, noCredential, noUser } from '../caller.ts'
import { defineOperation, type OperationContext, required } from '../operation.ts'
import { EXAMPLE_CREDENTIAL } from './credentials.ts'
import { EXAMPLE_INTEGRATION, EXAMPLE_WORKFLOW, integrationId, workflowId } from './integrations.ts'
import { EXAMPLE_USER, pageParameters, readPage, requireUser, userId } from './users.ts'

const tag = 'Installations'
const PATH = '/2024-03/installations/:installationId'
const callers = ['key', 'user'] as const
export const EXAMPLE_INSTALLATION = 'e5d3a8b2-94c7-4160-b2f8-3a7d0e91c6f4'

export const installationId = required(reference('installations', 'The installation.'))

const installation = defineShape({
  name: 'Installation',
  doc: "An end user's use of an integration.",
  fields: {
    installationId,
    integrationId,
    userId,
    credentialIds: references(
      'credentials',
      'The credentials that its workflows work with; of an app of which none was chosen, any of the user.',
    ),
    workflowIds: references('workflows', 'The workflows that are installed.'),
    installedAt: timestamp('When it was completed; null while it is not.'),
    enabled: required(boolean('Whether its workflows may run.')),
  },
})

const value = object(installation, 'The installation.')

const example = {
  installationId: EXAMPLE_INSTALLATION,
  integrationId: EXAMPLE_INTEGRATION,
  userId: EXAMPLE_USER,
  credentialIds: [EXAMPLE_CREDENTIAL],
  workflowIds: [EXAMPLE_WORKFLOW],
  installedAt: '2026-03-02T09:30:00.000Z',
  enabled: true,
}

const noInstallation = (): ApiError =>
  new ApiError('NOT_FOUND', 'There is no installation with this installationId.')

/** A user's token opens the user's own alone. */
const ownerOf = (caller: Caller): InstallationOwner => ({
  environmentId: caller.environmentId,
  userId: caller.kind === 'user' ? caller.userId : undefined,
})

/** @throws NOT_FOUND, INVALID_PARAMETER */
const changed = async (
  { database, caller }: OperationContext,
  id: string,
  what: InstallationChange,
) => {
  const outcome = await changeInstallation(database, ownerOf(caller), id, what)
  if (outcome === 'no installation') throw noInstallation()
  if (outcome === 'no workflow')
    throw new ApiError('NOT_FOUND', 'The installation has no workflow with this workflowId.')
  if (outcome === 'not complete')
    throw invalidParameter('installationId', 'an installation that is complete')
  return outcome
}

/** An operation that switches, or renews, an installation as a whole. */
const onInstallation = (name: string, doc: string, word: string, what: InstallationChange) =>
  defineOperation({
    ...{ name, doc, tag, callers },
    rest: { method: 'POST', path: `${PATH}/${word}` },
    path: { installationId },
    answer: { key: 'data', value },
    errors: ['NOT_FOUND'],
    example: {
      given: { installationId: EXAMPLE_INSTALLATION },
      result: { ...example, enabled: word !== 'deactivate' },
    },
    run: (context, given) => changed(context, given.installationId, what),
  })

/** An operation that switches one workflow. */
const onWorkflow = (name: string, doc: string, word: string, active: boolean) =>
  defineOperation({
    ...{ name, doc, tag, callers },
    rest: { method: 'POST', path: `${PATH}/workflows/:workflowId/${word}` },
    path: { installationId, workflowId },
    answer: { key: 'data', value },
    errors: ['NOT_FOUND'],
    example: {
      given: { installationId: EXAMPLE_INSTALLATION, workflowId: EXAMPLE_WORKFLOW },
      result: example,
    },
    run: (context, given) =>
      changed(context, given.installationId, { workflowId: given.workflowId, active }),
  })

export const installationOperations = [
  defineOperation({
    name: 'startInstallation',
    doc: 'Begins the installation of an integration, or takes it up again: a user has one of each.',
    ...{ tag, callers },
    rest: { method: 'POST', path: '/2024-03/headless/startInstallation' },
    body: {
      userId,
      integrationId,
      credentialIds: references(
        'credentials',
        "The end user's credentials to work with; unless given, the newest of the integration's app.",
      ),
    },
    answer: { key: 'data', value },
    errors: ['USER_NOT_FOUND', 'NOT_FOUND', 'CREDENTIAL_NOT_FOUND'],
    example: {
      given: {
        userId: EXAMPLE_USER,
        integrationId: EXAMPLE_INTEGRATION,
        credentialIds: [EXAMPLE_CREDENTIAL],
      },
      result: { ...example, workflowIds: [], installedAt: null },
    },
    run: async (context, given) => {
      const outcome = await startInstallation(context.database, context.caller.environmentId, {
        userId: await requireUser(context, given.userId),
        integrationId: given.integrationId,
        credentialIds: given.credentialIds ?? undefined,
      })
      if (outcome === 'no user') throw noUser()
      if (outcome === 'no credential') throw noCredential()
      if (outcome === 'no integration')
        throw new ApiError('NOT_FOUND', 'There is no integration with this integrationId.')
      return outcome
    },
  }),
  defineOperation({
    name: 'completeInstallation',
    doc: 'Completes an installation: its workflows are installed in their newest versions, and run. One that is complete keeps its versions and is switched on; a workflow that was switched off by itself stays off. In place of a credential that is gone comes the newest of its app.',
    ...{ tag, callers },
    rest: { method: 'POST', path: '/2024-03/headless/completeInstallation' },
    body: { installationId, data: json('What the end user chose, by name, for the workflows.') },
    answer: { key: 'data', value },
    errors: ['NOT_FOUND'],
    example: {
      given: { installationId: EXAMPLE_INSTALLATION, data: { accountId: '4000' } },
      result: example,
    },
    run: async ({ database, caller }, { installationId: id, data = {} }) => {
      if (typeof data !== 'object' || data === null || Array.isArray(data))
        throw invalidParameter('data', 'an object')
      // Read as JSON, and an object.
      const outcome = await completeInstallation(database, ownerOf(caller), id, data as Json)
      if (outcome === 'no installation') throw noInstallation()
      if ('missing' in outcome)
        throw invalidParameter(
          'credentialIds',
          `a credential of ${outcome.missing}: connect it first`,
        )
      return outcome
    },
  }),
  defineOperation({
    name: 'installations',
    doc: 'The installations of the environment or of one end user, oldest first.',
    ...{ tag, callers },
    rest: { method: 'GET', path: '/2024-03/installations' },
    query: { userId: reference('users', 'Only those of this end user.'), ...pageParameters },
    answer: { key: 'data', value: list(installation, 'The installations.') },
    errors: ['USER_NOT_FOUND'],
    example: { given: { userId: EXAMPLE_USER }, result: [example] },
    run: async (context, { userId: of, ...page }) => {
      const owner = ownerOf(context.caller)
      const named = of == null ? owner : { ...owner, userId: await requireUser(context, of) }
      return listInstallations(context.database, named, readPage(page))
    },
  }),
  defineOperation({
    name: 'installation',
    doc: 'One installation.',
    ...{ tag, callers },
    rest: { method: 'GET', path: PATH },
    path: { installationId },
    answer: { key: 'data', value },
    errors: ['NOT_FOUND'],
    example: { given: { installationId: EXAMPLE_INSTALLATION }, result: example },
    run: async ({ database, caller }, { installationId: id }) => {
      const found = await findInstallation(database, ownerOf(caller), id)
      if (found === undefined) throw noInstallation()
      return found
    },
  }),
  onInstallation(
    'upgradeInstallation',
    'Takes the newest version of every workflow.',
    'upgrade',
    'upgrade',
  ),
  onInstallation('deactivateInstallation', 'Stops all workflows until reactivated.', 'deactivate', {
    enabled: false,
  }),
  onInstallation('reactivateInstallation', 'Lets the active workflows run again.', 'reactivate', {
    enabled: true,
  }),
  onWorkflow('deactivateWorkflow', 'Stops one workflow until reactivated.', 'deactivate', false),
  onWorkflow('reactivateWorkflow', 'Lets one workflow run again.', 'reactivate', true),
  defineOperation({
    name: 'uninstall',
    doc: 'Ends an installation. The credentials stay.',
    ...{ tag, callers },
    rest: { method: 'DELETE', path: PATH },
    path: { installationId },
    answer: { key: 'installationId', value: installationId },
    errors: ['NOT_FOUND'],
    example: {
      given: { installationId: EXAMPLE_INSTALLATION },
      result: EXAMPLE_INSTALLATION,
    },
    run: async ({ database, caller }, { installationId: id }) => {
      if (!(await deleteInstallation(database, ownerOf(caller), id))) throw noInstallation()
      return id.toLowerCase()
    },
  }),
]
