/** Events in the CRM. */
import { ofCents } from '../amounts.ts'
import {
  changeOf,
  creationOf,
  type Events,
  pickRecord,
  removalOf,
  type SimulatedEvent,
  updateOf,
} from './event.ts'
import { pickSubject, sampleOf } from './samples.ts'
import { projects } from './words.ts'

/** Adds a person, most of them at an organization. */
const meetPerson: SimulatedEvent = async (workspace, random) => {
  const employer = random.chance(88) && (await pickRecord(workspace, random, 'organizations'))
  const company = employer ? employer.fields.accountName : 'freelance'
  const subject = pickSubject(random, { company })
  return workspace.create('people', {
    ...(await sampleOf('people', workspace, random, subject)),
    account: employer ? employer.id : null,
    loyalty_points: subject.lastName.length * 25,
    newsletter: Boolean(employer),
  })
}

const openDeal = creationOf('deals', async (workspace, random) => {
  const project = random.pick(projects)
  const account = await pickRecord(workspace, random, 'organizations')
  return {
    opportunityName: account ? `${project}, ${account.fields.accountName}` : project,
    opportunityDescription: `${project} for ${random.integer(5, 120)} desks.`,
    opportunityAccount: account?.id ?? null,
    opportunityStage: 'stg_0001',
    amount: ofCents(random.integer(8, 900) * 10_000),
  }
})

/** Moves a deal to the next stage, or to the last one (lost). */
const moveDeal = updateOf(
  'deals',
  { condition: { opportunityStatus: 'open' }, oldest: 12 },
  async ({ opportunityStage }, random, workspace) => {
    const stages = await workspace.where('deal_stages')
    const position = stages.findIndex(({ id }) => id === opportunityStage)
    const next = random.chance(15) ? stages.at(-1) : stages[position + 1]
    return { opportunityStage: next?.id ?? opportunityStage, lastActivityAt: workspace.now }
  },
)

/** Writes a note about a person and their organization. */
const writeNote = creationOf('notes', async (workspace, random) => {
  const person = await pickRecord(workspace, random, 'people')
  const occasion = random.pick(['Call', 'Visit', 'E-mail', 'Lunch', 'Demo'])
  return {
    noteTitle: `${occasion} with ${person?.fields.firstName ?? 'the buyer'}`,
    noteContact: person?.id ?? null,
    noteAccount: person?.fields.account ?? null,
  }
})

const setTask = creationOf('tasks', async (workspace, random) => {
  const deal = await pickRecord(workspace, random, 'deals', { opportunityStatus: 'open' })
  return {
    taskContent: `For ${deal?.fields.opportunityName ?? 'the whole team'}.`,
    taskOpportunity: deal?.id ?? null,
    taskStatus: 'todo',
  }
})

/** Starts a task, or completes it. */
const doTask = updateOf(
  'tasks',
  { condition: ({ taskStatus }) => taskStatus !== 'done', oldest: 8 },
  ({ taskStatus }, random) => ({
    taskStatus: taskStatus === 'todo' && random.chance(30) ? 'doing' : 'done',
  }),
)

/** Events of the CRM. */
export const salesEvents: Events = {
  meetOrganization: [1, creationOf('organizations')],
  meetPerson: [2, meetPerson],
  meetLead: [3, creationOf('leads')],
  promoteLead: [2, changeOf('leads', 'leadTitle')],
  loseLead: [1, removalOf('leads')],
  openDeal: [1, openDeal],
  moveDeal: [2, moveDeal],
  writeNote: [3, writeNote],
  throwNoteAway: [1, removalOf('notes')],
  setTask: [2, setTask],
  doTask: [2, doTask],
}
