/** Events in the CRM. */
import { ofCents } from '../amounts.ts'
import type { Random } from '../random.ts'
import type { Workspace } from '../workspace.ts'
import { changeOf, creationOf, pickRecord, removalOf, type SimulatedEvent } from './event.ts'
import { dayOf, pickSubject, sampleOf } from './samples.ts'
import { jobTitles, noteTexts, projects, taskTitles } from './words.ts'

/** The name of a member of the team, who owns a new record. */
const ownerOf = async (workspace: Workspace, random: Random): Promise<string | null> => {
  const member = await pickRecord(workspace, random, 'members', { isActive: true })
  return member?.fields.name ?? null
}

const meetPerson: SimulatedEvent = async (workspace, random) => {
  const employer = random.chance(88) && (await pickRecord(workspace, random, 'organizations'))
  const company = employer ? employer.fields.accountName : 'freelance'
  const subject = pickSubject(random, { company })
  return workspace.create('people', {
    ...(await sampleOf('people', workspace, random, subject)),
    account: employer ? employer.id : null,
    job_title: random.pick(jobTitles),
    // Derived, so that the generated companies stay the same in all other fields.
    loyalty_points: subject.lastName.length * 25,
    newsletter: Boolean(employer),
    contact_by: employer ? 'email' : 'phone',
    lastActivityAt: workspace.now,
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
    closeDate: dayOf(workspace, random.integer(20, 120)),
    lastActivityAt: workspace.now,
  }
})

/** Moves a deal to the next stage, or to the last one (lost). */
const moveDeal: SimulatedEvent = async (workspace, random) => {
  const deal = await pickRecord(workspace, random, 'deals', { opportunityStatus: 'open' }, 12)
  if (!deal) return false
  const stages = await workspace.where('deal_stages')
  const position = stages.findIndex(({ id }) => id === deal.fields.opportunityStage)
  const next = random.chance(15) ? stages.at(-1) : stages[position + 1]
  const opportunityStage = next?.id ?? deal.fields.opportunityStage
  return workspace.update(deal, { opportunityStage, lastActivityAt: workspace.now })
}

/** Writes a note about a person and their organization. */
const writeNote = creationOf('notes', async (workspace, random) => {
  const person = await pickRecord(workspace, random, 'people')
  const occasion = random.pick(['Call', 'Visit', 'E-mail', 'Lunch', 'Demo'])
  return {
    noteTitle: `${occasion} with ${person?.fields.firstName ?? 'the buyer'}`,
    noteContent: random.pick(noteTexts),
    noteContact: person?.id ?? null,
    noteAccount: person?.fields.account ?? null,
  }
})

const setTask = creationOf('tasks', async (workspace, random) => {
  const deal = await pickRecord(workspace, random, 'deals', { opportunityStatus: 'open' })
  return {
    taskSubject: random.pick(taskTitles),
    taskContent: `For ${deal?.fields.opportunityName ?? 'the whole team'}.`,
    taskOpportunity: deal?.id ?? null,
    taskStatus: 'todo' as const,
    dueDate: dayOf(workspace, random.integer(2, 21)),
  }
})

const doTask: SimulatedEvent = async (workspace, random) => {
  const isPending = ({ taskStatus }: { taskStatus: string }) => taskStatus !== 'done'
  const task = await pickRecord(workspace, random, 'tasks', isPending, 8)
  if (!task) return false
  const isStart = task.fields.taskStatus === 'todo' && random.chance(30)
  return workspace.update(task, { taskStatus: isStart ? 'doing' : 'done' })
}

/** Events of the CRM, by name. An event that is listed twice happens twice as often. */
export const salesEvents = {
  meetOrganization: creationOf('organizations', async (workspace, random) => ({
    accountOwner: await ownerOf(workspace, random),
  })),
  meetPerson,
  meetLead: creationOf('leads', async (workspace, random) => ({
    leadOwner: await ownerOf(workspace, random),
  })),
  promoteLead: changeOf('leads', 'leadTitle'),
  loseLead: removalOf('leads'),
  openDeal,
  moveDeal,
  moveAnotherDeal: moveDeal,
  writeNote,
  throwNoteAway: removalOf('notes'),
  setTask,
  doTask,
}
