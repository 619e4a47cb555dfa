/** Events in the CRM. */
import { ofCents } from '../amounts.ts'
import { changeOf, creationOf, type Events, removalOf, updateOf } from './event.ts'

/** Adds a person, most of them at an organization. */
const meetPerson = creationOf('people', async ({ random, pick, sample }) => {
  const employer = random.chance(88) ? await pick('organizations') : undefined
  return {
    // The e-mail address has the domain of the employer.
    ...(await sample('people', { company: employer?.fields.accountName ?? 'freelance' })),
    account: employer?.id ?? null,
    loyalty_points: random.integer(4, 10) * 25,
    newsletter: employer !== undefined,
  }
})

const openDeal = creationOf('deals', async ({ random, pick }) => {
  const project = random.pick(['Office move', 'New warehouse', 'Annual supply', 'Fit-out', 'Pilot'])
  const account = await pick('organizations')
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
  async ({ opportunityStage }, { random, workspace }) => {
    const stages = await workspace.where('deal_stages')
    const position = stages.findIndex(({ id }) => id === opportunityStage)
    const next = random.chance(15) ? stages.at(-1) : stages[position + 1]
    return { opportunityStage: next?.id ?? opportunityStage, lastActivityAt: workspace.now }
  },
)

/** Writes a note about a person and their organization. */
const writeNote = creationOf('notes', async ({ random, pick }) => {
  const person = await pick('people')
  const occasion = random.pick(['Call', 'Visit', 'E-mail', 'Lunch', 'Demo'])
  return {
    noteTitle: `${occasion} with ${person?.fields.firstName ?? 'the buyer'}`,
    noteContact: person?.id ?? null,
    noteAccount: person?.fields.account ?? null,
  }
})

const setTask = creationOf('tasks', async ({ pick }) => {
  const deal = await pick('deals', { opportunityStatus: 'open' })
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
  ({ taskStatus }, { random }) => ({
    taskStatus: taskStatus === 'todo' && random.chance(30) ? 'doing' : 'done',
  }),
)

/** Events of the CRM. */
export const salesEvents: Events = {
  meetOrganization: [1, creationOf('organizations')],
  meetPerson: [2, meetPerson],
  meetLead: [4, creationOf('leads')],
  promoteLead: [2, changeOf('leads', 'leadTitle')],
  loseLead: [2, removalOf('leads')],
  openDeal: [1, openDeal],
  moveDeal: [2, moveDeal],
  writeNote: [4, writeNote],
  throwNoteAway: [2, removalOf('notes')],
  setTask: [2, setTask],
  doTask: [2, doTask],
}
