/** The run history of workflows. */
import {
  defineShape,
  integer,
  list,
  object,
  reference,
  text,
  timestamp,
} from '../../definition/field.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, parsePageSize } from '../../query/list-request.ts'
import { findInstallation } from '../../store/accounts/listed-installations.ts'
import { hasWorkflow } from '../../store/workflows/integrations.ts'
import {
  listRuns,
  pageRuns,
  type RunEntry,
  type RunFilter,
  type RunStatus,
} from '../../store/workflows/workflow-history.ts'
import { changeKind, runStatus } from '../enumerations.ts'
import { type CallContext, defineOperation, required } from '../operation.ts'
import { EXAMPLE_CREDENTIAL } from './credential-shape.ts'
import { EXAMPLE_INSTALLATION, installationId, noInstallation } from './installations.ts'
import { EXAMPLE_WORKFLOW, noWorkflow, workflowId } from './integrations.ts'

export const run = defineShape({
  name: 'WorkflowRun',
  doc: 'One run of a workflow, triggered by one change.',
  fields: {
    runId: required(
      reference(
        'runs',
        'The id of the run; also the `webhook-id` of the HTTP request that it sends.',
      ),
    ),
    installationId,
    workflowId,
    version: required(integer('The version of the workflow.')),
    status: required(runStatus('The status of the run.')),
    attempts: required(integer('The number of attempts.')),
    failure: text('Why the last attempt failed; null after a success.'),
    topic: required(text('The topic of the change.')),
    kind: required(changeKind('The kind of the change.')),
    credentialId: required(reference('credentials', 'The credential whose record changed.')),
    recordId: required(reference('records', 'The record that changed.')),
    targetRecordId: reference('records', 'The record that the workflow wrote.'),
    createdAt: required(timestamp('When the run was created.')),
    startedAt: timestamp('When the first attempt started.'),
    finishedAt: timestamp('When the run succeeded or failed finally.'),
    nextAttemptAt: timestamp('When the next attempt starts; null if none is planned.'),
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

const toResult = ({ id, ...facts }: RunEntry) => ({ runId: id, ...facts })

interface RunsInput {
  readonly workflowId: string
  readonly installationId?: string | null | undefined
  readonly status?: RunStatus | null | undefined
}

/** The requested runs of an existing workflow. @throws NOT_FOUND */
const readFilter = async (
  { database, caller: { environmentId } }: CallContext,
  { workflowId, installationId, status }: RunsInput,
): Promise<RunFilter> => {
  if (!(await hasWorkflow(database, environmentId, workflowId))) throw noWorkflow()
  const installation = installationId?.toLowerCase()
  const owner = { environmentId, userId: undefined }
  if (
    installation !== undefined &&
    (await findInstallation(database, owner, installation)) === undefined
  )
    throw noInstallation()
  return {
    environmentId,
    workflowId,
    ...(installation !== undefined && { installationId: installation }),
    ...(status != null && { status }),
  }
}

export const workflowRunOperations = [
  defineOperation({
    name: 'workflowRuns',
    summary: 'List the runs of a workflow',
    doc: 'Returns the runs of a workflow, newest first.',
    tag: 'Integrations',
    rest: { method: 'GET', path: '/2024-03/workflows/:workflowId/runs' },
    callers: ['key'],
    path: { workflowId },
    query: {
      installationId: reference('installations', 'Only the runs of this installation.'),
      status: runStatus('Only runs with this status.'),
      cursor: text('The nextCursor of the previous page.'),
      pageSize: integer(`Page size, 1 to ${MAX_PAGE_SIZE}. The default is ${DEFAULT_PAGE_SIZE}.`),
    },
    response: {
      value: object(
        defineShape({
          name: 'WorkflowRunPage',
          doc: 'A page of runs.',
          fields: {
            data: list(run, 'The runs.'),
            nextCursor: text('The cursor of the next page; null on the last page.'),
          },
        }),
        'The page.',
      ),
    },
    errors: ['NOT_FOUND', 'INVALID_CURSOR'],
    example: {
      input: { workflowId: EXAMPLE_WORKFLOW },
      result: { data: [example], nextCursor: null },
    },
    run: async (context, { pageSize, cursor, ...input }) => {
      const limit = parsePageSize(pageSize)
      const filter = await readFilter(context, input)
      const { runs, next } = await listRuns(context.database, {
        ...filter,
        ...(cursor != null && { cursor }),
        limit,
      })
      return { data: runs.map(toResult), nextCursor: next ?? null }
    },
    connection: {
      entry: run,
      read: async (context, input, page) => {
        const listed = await pageRuns(context.database, await readFilter(context, input), page)
        return { ...listed, nodes: listed.nodes.map(toResult) }
      },
    },
  }),
]
