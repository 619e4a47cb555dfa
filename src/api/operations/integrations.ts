/** Integrations: defined by the integrator, installed by end users. */
import {
  boolean,
  defineShape,
  integer,
  json,
  list,
  object,
  reference,
  text,
} from '../../definition/field.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import {
  defineIntegration,
  deleteIntegration,
  findIntegration,
  hasWorkflow,
  listIntegrations,
  workflowUsersOf,
} from '../../store/workflows/integrations.ts'
import { createListReaders, pageParameters } from '../created-lists.ts'
import { readIntegration } from '../integration-input.ts'
import { defineOperation, required } from '../operation.ts'
import { EXAMPLE_USER, type OfUser, scopeOf } from './users.ts'

const tag = 'Integrations'

export const EXAMPLE_INTEGRATION = 'a1f0c2d4-6b58-4e7a-9c31-52d8e7f6b904'
export const EXAMPLE_WORKFLOW = 'c7e4b1a9-0d26-4f83-8a5e-91b3d6c2f047'

export const integrationId = required(reference('integrations', 'The integration.'))
export const workflowId = required(reference('workflows', 'The workflow.'))
const app = required(text('The app that the integration connects.'))
const icon = text('URL of the icon.')
const name = required(text('The name that end users see.'))
const slug = '1 to 64 characters of a-z, 0-9 and -'

export const integration = defineShape({
  name: 'Integration',
  doc: 'An integration that end users can install: workflows for one app.',
  fields: {
    integrationId,
    name,
    app,
    icon,
    installed: required(boolean('Whether the end user has it installed.')),
    workflows: list(
      defineShape({
        name: 'IntegrationWorkflow',
        doc: 'A workflow of an integration, with its state for an end user.',
        fields: {
          workflowId,
          name,
          installed: required(boolean('Whether the end user has it installed.')),
          version: required(integer('The newest version.')),
          installedVersion: integer('The version that the end user has installed; null if none.'),
          active: required(boolean('Whether the workflow is active for the end user.')),
        },
      }),
      'Its workflows.',
    ),
  },
})

const example = {
  integrationId: EXAMPLE_INTEGRATION,
  name: 'Vendure orders',
  app: 'vendure',
  icon: 'https://cdn.example.com/vendure.svg',
  installed: true,
  workflows: [
    {
      workflowId: EXAMPLE_WORKFLOW,
      name: 'New orders to the ledger',
      installed: true,
      version: 3,
      installedVersion: 2,
      active: true,
    },
  ],
}

const ofUser = reference(
  'users',
  'Returns the installation state of this end user. Without it, nothing is marked as installed.',
)

/** The error for an unknown integration, or one of another environment. */
export const noIntegration = (): ApiError =>
  new ApiError(
    'NOT_FOUND',
    'No integration has this integrationId. GET /2024-03/integrations lists the integrations.',
  )

/** The error for an unknown workflow, or one of another environment. */
export const noWorkflow = (): ApiError =>
  new ApiError(
    'NOT_FOUND',
    'No workflow has this workflowId. GET /2024-03/integrations lists the workflows.',
  )

/** The body fields of `defineIntegration`. */
export const integrationFields = {
  slug: required(
    text(
      `The integrator's own identifier of the integration: ${slug}. The same slug redefines the integration.`,
    ),
  ),
  name,
  app,
  icon,
  workflows: required(
    list(
      defineShape({
        name: 'WorkflowDefinition',
        doc: 'A workflow definition.',
        fields: {
          slug: required(text(`The integrator's own identifier of the workflow: ${slug}.`)),
          name,
          definition: required(json('The trigger and the action of the workflow.')),
        },
      }),
      'All workflows of the integration. Omitted workflows are deleted, including their installations.',
    ),
  ),
}

const workflowUser = defineShape({
  name: 'WorkflowUser',
  doc: 'An end user who has a workflow installed.',
  fields: {
    userId: required(reference('users', 'The end user.')),
    username: required(text("The integrator's own identifier of the end user.")),
    fullName: required(text('Full name; an empty string if not set.')),
    workflowActive: required(boolean('Whether the workflow is active for the end user.')),
    installedVersion: required(integer('The version that the end user has installed.')),
  },
})

export const integrationOperations = [
  defineOperation({
    name: 'integrations',
    summary: 'List integrations',
    doc: 'Returns the integrations of the environment, with their state for an end user.',
    tag,
    rest: { method: 'GET', path: '/2024-03/integrations' },
    callers: ['key', 'user'],
    query: { userId: ofUser },
    response: { key: 'data', value: list(integration, 'The integrations.') },
    errors: ['USER_NOT_FOUND'],
    example: { input: { userId: EXAMPLE_USER }, result: [example] },
    run: async (context, { userId }) =>
      listIntegrations(context.database, await scopeOf(context, userId)),
  }),
  defineOperation({
    name: 'integration',
    summary: 'Get an integration',
    doc: 'Returns one integration, with its state for an end user.',
    tag,
    rest: { method: 'GET', path: '/2024-03/integrations/:integrationId' },
    callers: ['key', 'user'],
    path: { integrationId },
    query: { userId: ofUser },
    response: { key: 'data', value: object(integration, 'The integration.') },
    errors: ['NOT_FOUND', 'USER_NOT_FOUND'],
    example: {
      input: { integrationId: EXAMPLE_INTEGRATION, userId: EXAMPLE_USER },
      result: example,
    },
    run: async (context, { integrationId: id, userId }) => {
      const found = await findIntegration(context.database, await scopeOf(context, userId), id)
      if (found === undefined) throw noIntegration()
      return found
    },
  }),
  defineOperation({
    name: 'defineIntegration',
    summary: 'Create or update an integration',
    doc: 'Creates or redefines an integration. A workflow whose definition changes gets a new version.',
    tag,
    rest: { method: 'PUT', path: '/2024-03/integrations' },
    callers: ['key'],
    body: integrationFields,
    response: { key: 'integration', value: object(integration, 'The integration.') },
    example: {
      input: {
        slug: 'vendure-orders',
        name: example.name,
        app: 'vendure',
        icon: example.icon,
        workflows: [
          {
            slug: 'ledger',
            name: 'New orders to the ledger',
            definition: {
              when: { app: 'vendure', topic: 'commerce/orders' },
              // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of workflow definitions
              then: { post: { address: 'https://ledger.example.com/orders' } },
            },
          },
        ],
      },
      result: {
        ...example,
        installed: false,
        workflows: [
          { ...example.workflows[0], installed: false, installedVersion: null, active: false },
        ],
      },
    },
    run: async (context, input) => {
      const definition = readIntegration(context, input)
      const { environmentId } = context.caller
      const defined = await defineIntegration(
        context.database,
        context.vault,
        environmentId,
        definition,
      )
      if (defined !== 'other app') return defined
      throw invalidParameter('app', 'the app with which the integration was first defined')
    },
  }),
  defineOperation({
    name: 'deleteIntegration',
    summary: 'Delete an integration',
    doc: 'Deletes an integration with its workflows and installations.',
    tag,
    rest: { method: 'DELETE', path: '/2024-03/integrations/:integrationId' },
    callers: ['key'],
    path: { integrationId },
    response: { key: 'integrationId', value: integrationId },
    errors: ['NOT_FOUND'],
    example: {
      input: { integrationId: EXAMPLE_INTEGRATION },
      result: EXAMPLE_INTEGRATION,
    },
    run: async ({ database, caller }, { integrationId: id }) => {
      if (!(await deleteIntegration(database, caller.environmentId, id))) throw noIntegration()
      return id.toLowerCase()
    },
  }),
  defineOperation({
    name: 'workflowUsers',
    summary: 'List the end users of a workflow',
    doc: 'Returns the end users who have a workflow installed, oldest first.',
    tag,
    rest: { method: 'GET', path: '/2024-03/workflows/:workflowId/users' },
    callers: ['key'],
    path: { workflowId },
    query: { userId: reference('users', 'Only this end user.'), ...pageParameters },
    response: {
      key: 'data',
      value: list(workflowUser, 'The end users.'),
    },
    errors: ['NOT_FOUND', 'USER_NOT_FOUND'],
    example: {
      input: { workflowId: EXAMPLE_WORKFLOW },
      result: [
        {
          userId: EXAMPLE_USER,
          username: 'harbour-light',
          fullName: 'Harbour Light Ltd',
          workflowActive: true,
          installedVersion: 2,
        },
      ],
    },
    ...createListReaders(
      workflowUser,
      async (context, input: OfUser & { readonly workflowId: string }) => {
        const { environmentId, userId } = await scopeOf(context, input.userId)
        if (!(await hasWorkflow(context.database, environmentId, input.workflowId)))
          throw noWorkflow()
        return workflowUsersOf({ workflowId: input.workflowId.toLowerCase(), userId })
      },
    ),
  }),
]
