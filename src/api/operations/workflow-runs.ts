/** What became of workflows: each run, whether it succeeded, and why not. */
import {
  defineShape,
  enumeration,
  integer,
  list,
  object,
  reference,
  text,
  timestamp,
} from '../../definition/field.ts'
import { ApiError } from '../../errors.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, parsePageSize } from '../../query/list-request.ts'
import { findInstallation } from '../../store/installations.ts'
import { hasWorkflow } from '../../store/integrations.ts'
import { listRuns, RUN_STATUSES } from '../../store/workflow-history.ts'
import { defineOperation, required } from '../operation.ts'
import { EXAMPLE_CREDENTIAL } from './credentials.ts'
import { EXAMPLE_INSTALLATION, installationId } from './installations.ts'
import { EXAMPLE_WORKFLOW, workflowId } from './integrations.ts'

const status = enumeration('Where the run stands.', RUN_STATUSES)

const run = defineShape({
  name: 'WorkflowRun',
  doc: 'What a workflow did about one change.',
  fields: {
    runId: required(reference('runs', 'The run; also the webhook-id of what it posts.')),
    installationId,
    workflowId,
    version: required(integer('The version of the workflow that ran.')),
    status: required(status),
    attempts: required(integer('How often it was tried.')),
    failure: text('Why the last attempt failed; null after a success.'),
    topic: required(text('The topic of the change.')),
    kind: required(text('What the change was: created, updated or deleted.')),
    credentialId: required(reference('credentials', 'The credential whose record changed.')),
    recordId: required(reference('records', 'The record that changed.')),
    targetRecordId: reference('records', 'The record that was written.'),
    createdAt: required(timestamp('When the change was noticed.')),
    startedAt: timestamp('When the first attempt began.'),
    finishedAt: timestamp('When it succeeded, or was given up.'),
    nextAttemptAt: timestamp('When it is tried again.'),
  },
})

const example = {
  runId: '5f1d7a60-3c2e-4b9f-8d47-a6e0b3c9f215',
  installationId: EXAMPLE_INSTALLATION,
  workflowId: EXAMPLE_WORKFLOW,
  version: 2,
  status: 'succeeded',
  attempts: 1,
  failure: null,
  topic: 'commerce/orders',
  kind: 'created',
  credentialId: EXAMPLE_CREDENTIAL,
  recordId: '3b9e6f1c-8a47-8d20-b5c3-71f4e09a2d68',
  targetRecordId: null,
  createdAt: '2026-03-02T09:30:00.000Z',
  startedAt: '2026-03-02T09:30:00.210Z',
  finishedAt: '2026-03-02T09:30:00.480Z',
  nextAttemptAt: null,
}

export const workflowRunOperations = [
  defineOperation({
    name: 'workflowRuns',
    doc: 'What a workflow has done, newest first.',
    tag: 'Integrations',
    rest: { method: 'GET', path: '/2024-03/workflows/:workflowId/runs' },
    callers: ['key'],
    path: { workflowId },
    query: {
      installationId: reference('installations', 'Only the runs of this installation.'),
      status: enumeration('Only the runs that stand so.', RUN_STATUSES),
      cursor: text('nextCursor of the page before.'),
      pageSize: integer(
        `Runs a page, ${DEFAULT_PAGE_SIZE} unless given, at most ${MAX_PAGE_SIZE}.`,
      ),
    },
    answer: {
      value: object(
        defineShape({
          name: 'WorkflowRunPage',
          doc: 'A page of runs.',
          fields: {
            data: list(run, 'The runs.'),
            nextCursor: text('For the next page; null on the last.'),
          },
        }),
        'The page.',
      ),
    },
    errors: ['NOT_FOUND', 'INVALID_CURSOR'],
    example: {
      given: { workflowId: EXAMPLE_WORKFLOW },
      result: { data: [example], nextCursor: null },
    },
    run: async ({ database, caller }, given) => {
      const { cursor } = given
      const limit = parsePageSize(given.pageSize)
      const { environmentId } = caller
      if (!(await hasWorkflow(database, environmentId, given.workflowId)))
        throw new ApiError('NOT_FOUND', 'There is no workflow with this workflowId.')
      const installation = given.installationId?.toLowerCase()
      const owner = { environmentId, userId: undefined }
      if (
        installation !== undefined &&
        (await findInstallation(database, owner, installation)) === undefined
      )
        throw new ApiError('NOT_FOUND', 'There is no installation with this installationId.')
      const { runs, next } = await listRuns(database, {
        environmentId,
        workflowId: given.workflowId,
        ...(installation !== undefined && { installationId: installation }),
        ...(given.status != null && { status: given.status }),
        ...(cursor != null && { cursor }),
        limit,
      })
      return {
        data: runs.map(({ id, ...facts }) => ({ runId: id, ...facts })),
        nextCursor: next ?? null,
      }
    },
  }),
]
