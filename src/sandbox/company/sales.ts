/** Events in the CRM. */
import { ofCents } from '../amounts.ts'
import type { Random } from '../random.ts'
import type { Workspace } from '../workspace.ts'
import { changeOf, creationOf, type SimulatedEvent, withOne } from './event.ts'
import { dayOf, pickSubject, sampleOf } from './samples.ts'
import { jobTitles, noteTexts, projects, taskTitles } from './words.ts'

const openDeals = (workspace: Workspace) => workspace.where('deals', { opportunityStatus: 'open' })

/** A member of the team who owns a new record. */
const ownedBy = async (workspace: Workspace, random: Random) => {
  const team = await workspace.where('members', { isActive: true })
  return { owner: team.length > 0 ? random.pick(team).id : null }
}

const meetPerson: SimulatedEvent = async (workspace, random) => {
  const organizations = await workspace.where('organizations')
  const isEmployed = organizations.length > 0 && random.chance(88)
  const employer = isEmployed ? random.pick(organizations) : undefined
  const company = employer?.fields.accountName ?? 'freelance'
  const subject = pickSubject(random, { company })
  return workspace.create('people', {
    ...(await sampleOf('people', workspace, random, subject)),
    account: employer?.id ?? null,
    job_title: random.pick(jobTitles),
    lastActivityAt: workspace.now,
  })
}

/** Converts a lead into a person at an organization and deletes the lead. */
const convertLead: SimulatedEvent = async (workspace, random) =>
  withOne(random, (await workspace.where('leads')).slice(0, 10), async (lead) => {
    const { company, owner, leadTitle, lastName, ...fields } = lead.fields
    const { firstName, emailAddresses, phoneNumbers, addresses } = fields
    const accountName = company ?? 'Freelance'
    const [known] = await workspace.where('organizations', { accountName })
    const employer = known ?? (await workspace.create('organizations', { accountName, owner }))
    await workspace.create('people', {
      firstName,
      lastName: lastName ?? 'Unknown',
      job_title: leadTitle,
      account: employer.id,
      emailAddresses,
      phoneNumbers,
      addresses,
    })
    await workspace.remove(lead)
  })

const openDeal = creationOf('deals', async (workspace, random) => {
  const project = random.pick(projects)
  const [account] = random.some(await workspace.where('organizations'), 1)
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
  const stages = await workspace.where('deal_stages')
  return withOne(random, (await openDeals(workspace)).slice(0, 12), (deal) => {
    const position = stages.findIndex(({ id }) => id === deal.fields.opportunityStage)
    const next = random.chance(15) ? stages.at(-1) : stages[position + 1]
    const opportunityStage = next?.id ?? deal.fields.opportunityStage
    return workspace.update(deal, { opportunityStage, lastActivityAt: workspace.now })
  })
}

/** Writes a note about a person or a deal. */
const writeNote = creationOf('notes', async (workspace, random) => {
  const [person] = random.some(await workspace.where('people'), 1)
  const [deal] = random.some(await workspace.where('deals'), 1)
  const occasion = random.pick(['Call', 'Visit', 'E-mail', 'Lunch', 'Demo'])
  const noteContent = random.pick(noteTexts)
  return person && random.chance(70)
    ? {
        noteTitle: `${occasion} with ${person.fields.firstName ?? person.fields.lastName}`,
        noteContent,
        noteContact: person.id,
        noteAccount: person.fields.account,
        noteOpportunity: null,
      }
    : {
        noteTitle: `${occasion} with the buyer`,
        noteContent,
        noteContact: null,
        noteAccount: deal?.fields.opportunityAccount ?? null,
        noteOpportunity: deal?.id ?? null,
      }
})

const throwNoteAway: SimulatedEvent = async (workspace, random) =>
  withOne(random, (await workspace.where('notes')).slice(0, 20), (note) => workspace.remove(note))

const setTask = creationOf('tasks', async (workspace, random) => {
  const [deal] = random.some(await openDeals(workspace), 1)
  return {
    taskSubject: random.pick(taskTitles),
    taskContent: `For ${deal?.fields.opportunityName ?? 'the whole team'}.`,
    taskOpportunity: deal?.id ?? null,
    taskStatus: 'todo' as const,
    dueDate: dayOf(workspace, random.integer(2, 21)),
  }
})

const doTask: SimulatedEvent = async (workspace, random) => {
  const tasks = await workspace.where('tasks', ({ taskStatus }) => taskStatus !== 'done')
  return withOne(random, tasks.slice(0, 8), (task) => {
    const isStart = task.fields.taskStatus === 'todo' && random.chance(30)
    return workspace.update(task, { taskStatus: isStart ? 'doing' : 'done' })
  })
}

/** Events that only the history has. */
export const salesGrowth = { meetOrganization: creationOf('organizations', ownedBy), meetPerson }

/** Events of the CRM, by name. An event that is listed twice happens twice as often. */
export const salesEvents = {
  meetLead: creationOf('leads', ownedBy),
  promoteLead: changeOf('leads', 'leadTitle'),
  convertLead,
  openDeal,
  moveDeal,
  moveAnotherDeal: moveDeal,
  writeNote,
  throwNoteAway,
  setTask,
  doTask,
}
