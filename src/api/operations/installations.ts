/** Installations of integrations by end users, without the Connect UI. */
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
import { pascalCase } from '../../definition/resource.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import {
  changeInstallation,
  completeInstallation,
  deleteInstallation,
  type InstallationChange,
  startInstallation,
} from '../../store/accounts/installations.ts'
import { findInstallation, installationsOf } from '../../store/accounts/listed-installations.ts'
import { noCredential, noUser } from '../auth/caller.ts'
import { createListReaders, pageParameters } from '../created-lists.ts'
import { defineOperation, type OperationContext, required } from '../operation.ts'
import { EXAMPLE_CREDENTIAL } from './credential-shape.ts'
import {
  EXAMPLE_INTEGRATION,
  EXAMPLE_WORKFLOW,
  integrationId,
  noIntegration,
  workflowId,
} from './integrations.ts'
import { EXAMPLE_USER, type OfUser, requireUser, scopeOf, scopeOfCaller, userId } from './users.ts'

const tag = 'Installations'
const PATH = '/2024-03/installations/:installationId'
const callers = ['key', 'user'] as const
export const EXAMPLE_INSTALLATION = 'e5d3a8b2-94c7-4160-b2f8-3a7d0e91c6f4'

export const installationId = required(reference('installations', 'The installation.'))

export const installation = defineShape({
  name: 'Installation',
  doc: 'An integration that an end user has installed.',
  fields: {
    installationId,
    integrationId,
    userId,
    credentialIds: references(
      'credentials',
      'The credentials that its workflows use. For an app without one here, workflows use any credential of the end user.',
    ),
    workflowIds: references('workflows', 'The installed workflows.'),
    installedAt: timestamp('When the installation was completed; null before that.'),
    enabled: required(boolean('Whether its workflows may run.')),
  },
})

const response = {
  key: 'data',
  payloadField: 'installation',
  value: object(installation, 'The installation.'),
} as const

const example = {
  installationId: EXAMPLE_INSTALLATION,
  integrationId: EXAMPLE_INTEGRATION,
  userId: EXAMPLE_USER,
  credentialIds: [EXAMPLE_CREDENTIAL],
  workflowIds: [EXAMPLE_WORKFLOW],
  installedAt: '2026-03-02T09:30:00.000Z',
  enabled: true,
}

/** The error for an unknown installation, or one of another environment. */
export const noInstallation = (): ApiError =>
  new ApiError(
    'NOT_FOUND',
    'No installation has this installationId. GET /2024-03/installations lists the installations.',
  )

/** Applies a change to an installation. @throws NOT_FOUND, INVALID_PARAMETER */
const applyChange = async (
  { database, caller }: OperationContext,
  id: string,
  change: InstallationChange,
) => {
  const outcome = await changeInstallation(database, scopeOfCaller(caller), id, change)
  if (outcome === 'no installation') throw noInstallation()
  if (outcome === 'no workflow')
    throw new ApiError(
      'NOT_FOUND',
      'The installation has no workflow with this workflowId. Its workflowIds name the installed ones.',
    )
  if (outcome === 'not complete')
    throw invalidParameter(
      'installationId',
      'an installation that POST /2024-03/headless/completeInstallation has completed',
    )
  return outcome
}

/** Defines an operation that changes a whole installation. `word`: the last segment of its path. */
const onInstallation = (name: string, doc: string, word: string, change: InstallationChange) =>
  defineOperation({
    name,
    summary: `${pascalCase(word)} an installation`,
    doc,
    tag,
    callers,
    rest: { method: 'POST', path: `${PATH}/${word}` },
    path: { installationId },
    response,
    errors: ['NOT_FOUND'],
    example: {
      input: { installationId: EXAMPLE_INSTALLATION },
      result: { ...example, enabled: word !== 'deactivate' },
    },
    run: (context, input) => applyChange(context, input.installationId, change),
  })

/** Defines an operation that activates or deactivates one workflow. */
const onWorkflow = (name: string, doc: string, word: string, active: boolean) =>
  defineOperation({
    name,
    summary: `${pascalCase(word)} a workflow of an installation`,
    doc,
    tag,
    callers,
    rest: { method: 'POST', path: `${PATH}/workflows/:workflowId/${word}` },
    path: { installationId, workflowId },
    response,
    errors: ['NOT_FOUND'],
    example: {
      input: { installationId: EXAMPLE_INSTALLATION, workflowId: EXAMPLE_WORKFLOW },
      result: example,
    },
    run: (context, input) =>
      applyChange(context, input.installationId, { workflowId: input.workflowId, active }),
  })

export const installationOperations = [
  defineOperation({
    name: 'startInstallation',
    summary: 'Start an installation',
    doc: 'Starts the installation of an integration, or returns the one that the end user already has.',
    tag,
    callers,
    rest: { method: 'POST', path: '/2024-03/headless/startInstallation' },
    body: {
      userId,
      integrationId,
      credentialIds: references(
        'credentials',
        "The end user's credentials that the workflows use. The default is the newest credential of the integration's app.",
      ),
    },
    response,
    errors: ['USER_NOT_FOUND', 'NOT_FOUND', 'CREDENTIAL_NOT_FOUND'],
    example: {
      input: {
        userId: EXAMPLE_USER,
        integrationId: EXAMPLE_INTEGRATION,
        credentialIds: [EXAMPLE_CREDENTIAL],
      },
      result: { ...example, workflowIds: [], installedAt: null },
    },
    run: async (context, input) => {
      const outcome = await startInstallation(context.database, context.caller.environmentId, {
        userId: await requireUser(context, input.userId),
        integrationId: input.integrationId,
        credentialIds: input.credentialIds ?? undefined,
      })
      if (outcome === 'no user') throw noUser()
      if (outcome === 'no credential') throw noCredential()
      if (outcome === 'no integration') throw noIntegration()
      return outcome
    },
  }),
  defineOperation({
    name: 'completeInstallation',
    summary: 'Complete an installation',
    doc: 'Completes an installation: installs the newest versions of its workflows and activates them. A completed installation keeps its versions and is activated; workflows that were deactivated individually stay inactive. A deleted credential is replaced by the newest one of its app.',
    tag,
    callers,
    rest: { method: 'POST', path: '/2024-03/headless/completeInstallation' },
    body: {
      installationId,
      data: json('The settings that the end user chose for the workflows, by name.'),
    },
    response,
    errors: ['NOT_FOUND'],
    example: {
      input: { installationId: EXAMPLE_INSTALLATION, data: { accountId: '4000' } },
      result: example,
    },
    run: async ({ database, caller }, { installationId: id, data = {} }) => {
      if (typeof data !== 'object' || data === null || Array.isArray(data))
        throw invalidParameter('data', 'an object')
      // The input is JSON, and the check above leaves only objects.
      const outcome = await completeInstallation(database, scopeOfCaller(caller), id, data as Json)
      if (outcome === 'no installation') throw noInstallation()
      if ('missing' in outcome)
        throw invalidParameter(
          'credentialIds',
          `a credential of ${outcome.missing}; connect the app first`,
        )
      return outcome
    },
  }),
  defineOperation({
    name: 'installations',
    summary: 'List installations',
    doc: 'Returns the installations of the environment or of one end user, oldest first.',
    tag,
    callers,
    rest: { method: 'GET', path: '/2024-03/installations' },
    query: {
      userId: reference('users', 'Only installations of this end user.'),
      ...pageParameters,
    },
    response: { key: 'data', value: list(installation, 'The installations.') },
    errors: ['USER_NOT_FOUND'],
    example: { input: { userId: EXAMPLE_USER }, result: [example] },
    ...createListReaders(installation, async (context, { userId: requestedUser }: OfUser) =>
      installationsOf(await scopeOf(context, requestedUser)),
    ),
  }),
  defineOperation({
    name: 'installation',
    summary: 'Get an installation',
    doc: 'Returns one installation: an integration that an end user has installed.',
    tag,
    callers,
    rest: { method: 'GET', path: PATH },
    path: { installationId },
    response,
    errors: ['NOT_FOUND'],
    example: { input: { installationId: EXAMPLE_INSTALLATION }, result: example },
    run: async ({ database, caller }, { installationId: id }) => {
      const found = await findInstallation(database, scopeOfCaller(caller), id)
      if (found === undefined) throw noInstallation()
      return found
    },
  }),
  onInstallation(
    'upgradeInstallation',
    'Upgrades every workflow of an installation to its newest version.',
    'upgrade',
    'upgrade',
  ),
  onInstallation(
    'deactivateInstallation',
    'Stops all workflows of an installation until it is reactivated.',
    'deactivate',
    {
      enabled: false,
    },
  ),
  onInstallation(
    'reactivateInstallation',
    'Resumes an installation; its active workflows run again.',
    'reactivate',
    {
      enabled: true,
    },
  ),
  onWorkflow(
    'deactivateWorkflow',
    'Stops one workflow of an installation until it is reactivated.',
    'deactivate',
    false,
  ),
  onWorkflow('reactivateWorkflow', 'Resumes one workflow of an installation.', 'reactivate', true),
  defineOperation({
    name: 'uninstall',
    summary: 'Delete an installation',
    doc: 'Removes an installation. The credentials are kept.',
    tag,
    callers,
    rest: { method: 'DELETE', path: PATH },
    path: { installationId },
    response: { key: 'installationId', value: installationId },
    errors: ['NOT_FOUND'],
    example: {
      input: { installationId: EXAMPLE_INSTALLATION },
      result: EXAMPLE_INSTALLATION,
    },
    run: async ({ database, caller }, { installationId: id }) => {
      if (!(await deleteInstallation(database, scopeOfCaller(caller), id))) throw noInstallation()
      return id.toLowerCase()
    },
  }),
]
