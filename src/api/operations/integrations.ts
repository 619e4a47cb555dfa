/** What end users can install: shown to them, and defined by the integrator. */
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
  type IntegrationScope,
  listIntegrations,
  listWorkflowUsers,
} from '../../store/integrations.ts'
import { readIntegration } from '../integration-input.ts'
import { defineOperation, type OperationContext, required } from '../operation.ts'
import { EXAMPLE_USER, pageParameters, readPage, requireUser } from './users.ts'

const tag = 'Integrations'

export const EXAMPLE_INTEGRATION = 'a1f0c2d4-6b58-4e7a-9c31-52d8e7f6b904'
export const EXAMPLE_WORKFLOW = 'c7e4b1a9-0d26-4f83-8a5e-91b3d6c2f047'

export const integrationId = required(reference('integrations', 'The integration.'))
export const workflowId = required(reference('workflows', 'The workflow.'))
const app = required(text('The app that it connects.'))
const icon = text('Address of its icon.')
const name = required(text('Its name, as end users see it.'))
const slug = '1 to 64 of a-z, 0-9 and -'

const integration = defineShape({
  name: 'Integration',
  doc: 'What an end user can install: an app with workflows.',
  fields: {
    integrationId,
    app,
    icon,
    installed: required(boolean('Whether the end user has it installed.')),
    workflows: list(
      defineShape({
        name: 'IntegrationWorkflow',
        doc: 'A workflow of an integration, as it stands with an end user.',
        fields: {
          workflowId,
          name,
          installed: required(boolean('Whether the end user has it installed.')),
          version: required(integer('The newest version.')),
          installedVersion: integer("The end user's version; null where it is not installed."),
          active: required(boolean('Whether it works for the end user.')),
        },
      }),
      'Its workflows.',
    ),
  },
})

const example = {
  integrationId: EXAMPLE_INTEGRATION,
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
  'Show what this end user has installed; without one, no installation is shown.',
)

/** The refusal of an integration that is not there, or is another environment's. */
export const noIntegration = (): ApiError =>
  new ApiError('NOT_FOUND', 'There is no integration with this integrationId.')

/** @throws USER_NOT_FOUND */
const scopeOf = async (
  context: OperationContext,
  userId: string | null | undefined,
): Promise<IntegrationScope> => ({
  environmentId: context.caller.environmentId,
  userId: userId == null ? undefined : await requireUser(context, userId),
})

/** What an integration is defined with. */
export const integrationFields = {
  slug: required(
    text(`The integrator's own name of the integration, by which it is defined anew: ${slug}.`),
  ),
  name,
  app,
  icon,
  workflows: required(
    list(
      defineShape({
        name: 'WorkflowDefinition',
        doc: 'A workflow, as the integrator defines it.',
        fields: {
          slug: required(text(`The integrator's own name of the workflow: ${slug}.`)),
          name,
          definition: required(json('When it runs, and what it does.')),
        },
      }),
      'All its workflows: one that is left out is deleted, also where it is installed.',
    ),
  ),
}

export const integrationOperations = [
  defineOperation({
    name: 'integrations',
    doc: 'The integrations of the environment, as they stand with an end user.',
    tag,
    rest: { method: 'GET', path: '/2024-03/integrations' },
    callers: ['key', 'user'],
    query: { userId: ofUser },
    answer: { key: 'data', value: list(integration, 'The integrations.') },
    errors: ['USER_NOT_FOUND'],
    example: { given: { userId: EXAMPLE_USER }, result: [example] },
    run: async (context, { userId }) =>
      listIntegrations(context.database, await scopeOf(context, userId)),
  }),
  defineOperation({
    name: 'integration',
    doc: 'One integration, as it stands with an end user.',
    tag,
    rest: { method: 'GET', path: '/2024-03/integrations/:integrationId' },
    callers: ['key', 'user'],
    path: { integrationId },
    query: { userId: ofUser },
    answer: { key: 'data', value: object(integration, 'The integration.') },
    errors: ['NOT_FOUND', 'USER_NOT_FOUND'],
    example: {
      given: { integrationId: EXAMPLE_INTEGRATION, userId: EXAMPLE_USER },
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
    doc: 'Creates or redefines an integration. A workflow whose definition changes gets a new version.',
    tag,
    rest: { method: 'PUT', path: '/2024-03/integrations' },
    callers: ['key'],
    body: integrationFields,
    answer: { key: 'integration', value: object(integration, 'The integration.') },
    example: {
      given: {
        slug: 'vendure-orders',
        name: 'Vendure orders',
        app: 'vendure',
        icon: example.icon,
        workflows: [
          {
            slug: 'ledger',
            name: 'New orders to the ledger',
            definition: {
              when: { app: 'vendure', topic: 'commerce/orders' },
              // biome-ignore lint/suspicious/noThenProperty: the language's own word
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
    run: async (context, given) => {
      const definition = readIntegration(context, given)
      const { environmentId } = context.caller
      const defined = await defineIntegration(
        context.database,
        context.vault,
        environmentId,
        definition,
      )
      if (defined !== 'other app') return defined
      throw invalidParameter('app', 'the app that the integration was first defined with')
    },
  }),
  defineOperation({
    name: 'deleteIntegration',
    doc: 'Deletes an integration with its workflows, also where it is installed.',
    tag,
    rest: { method: 'DELETE', path: '/2024-03/integrations/:integrationId' },
    callers: ['key'],
    path: { integrationId },
    answer: { key: 'integrationId', value: integrationId },
    errors: ['NOT_FOUND'],
    example: {
      given: { integrationId: EXAMPLE_INTEGRATION },
      result: EXAMPLE_INTEGRATION,
    },
    run: async ({ database, caller }, { integrationId: id }) => {
      if (!(await deleteIntegration(database, caller.environmentId, id))) throw noIntegration()
      return id.toLowerCase()
    },
  }),
  defineOperation({
    name: 'workflowUsers',
    doc: 'The end users who have a workflow installed, oldest first.',
    tag,
    rest: { method: 'GET', path: '/2024-03/workflows/:workflowId/users' },
    callers: ['key'],
    path: { workflowId },
    query: { userId: reference('users', 'Only this end user.'), ...pageParameters },
    answer: {
      key: 'data',
      value: list(
        defineShape({
          name: 'WorkflowUser',
          doc: 'An end user who has a workflow installed.',
          fields: {
            userId: required(reference('users', 'The end user.')),
            username: required(text("The integrator's own name of the user.")),
            fullName: required(text('Full name; empty if none was given.')),
            workflowActive: required(boolean('Whether the workflow works for the user.')),
            installedVersion: required(integer("The user's version of the workflow.")),
          },
        }),
        'The end users.',
      ),
    },
    errors: ['NOT_FOUND', 'USER_NOT_FOUND'],
    example: {
      given: { workflowId: EXAMPLE_WORKFLOW },
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
    run: async (context, { workflowId: id, userId, ...page }) => {
      const scope = await scopeOf(context, userId)
      const found = await listWorkflowUsers(
        context.database,
        { ...scope, workflowId: id },
        readPage(page),
      )
      if (found) return found
      throw new ApiError('NOT_FOUND', 'There is no workflow with this workflowId.')
    },
  }),
]
