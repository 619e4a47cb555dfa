/** Events in the CRM. */
import { ofCents } from '../amounts.ts'
import type { Workspace } from '../workspace.ts'
import { changeOf, type SimulatedEvent, withOne } from './event.ts'
import { dayOf, pickSubject, sampleOf } from './samples.ts'
import { jobTitles, noteTexts, projects, taskTitles } from './words.ts'

const team = (workspace: Workspace) => workspace.where('members', { isActive: true })

const openDeals = (workspace: Workspace) => workspace.where('deals', { opportunityStatus: 'open' })

const meetOrganization: SimulatedEvent = async (workspace, random) =>
  withOne(random, await team(workspace), (owner) =>
    workspace.create('organizations', {
      ...sampleOf('organizations', workspace, random),
      owner: owner.id,
      lastActivityAt: workspace.now,
    }),
  )

const meetPerson: SimulatedEvent = async (workspace, random) => {
  const organizations = await workspace.where('organizations')
  const isEmployed = organizations.length > 0 && random.chance(88)
  const employer = isEmployed ? random.pick(organizations) : undefined
  const company = employer?.fields.accountName ?? 'freelance'
  const subject = pickSubject(random, { company })
  return workspace.create('people', {
    ...sampleOf('people', workspace, random, { subject }),
    account: employer?.id ?? null,
    job_title: random.pick(jobTitles),
    lastActivityAt: random.chance(90) ? workspace.now : null,
  })
}

const meetLead: SimulatedEvent = async (workspace, random) =>
  withOne(random, await team(workspace), (owner) =>
    workspace.create('leads', { ...sampleOf('leads', workspace, random), owner: owner.id }),
  )

/** Converts a lead into a person at an organization and deletes the lead. */
const convertLead: SimulatedEvent = async (workspace, random) => {
  const leads = await workspace.where('leads', ({ lastName }) => lastName !== null)
  return withOne(random, leads.slice(0, 10), async (lead) => {
    const { company, owner, lastName, leadTitle, ...fields } = lead.fields
    const { firstName, emailAddresses, phoneNumbers, addresses } = fields
    const reached = { phoneNumbers, addresses, lastActivityAt: workspace.now }
    const [known] = await workspace.where('organizations', { accountName: company ?? '' })
    const employer =
      known || company === null
        ? known
        : await workspace.create('organizations', { accountName: company, owner, ...reached })
    await workspace.create('people', {
      firstName,
      lastName: lastName ?? '',
      job_title: leadTitle,
      emailAddresses,
      account: employer?.id ?? null,
      ...reached,
    })
    await workspace.remove(lead)
  })
}

const openDeal: SimulatedEvent = async (workspace, random) => {
  const owners = await team(workspace)
  return withOne(random, await workspace.where('organizations'), ({ id, fields }) => {
    const project = random.pick(projects)
    return workspace.create('deals', {
      opportunityName: `${project}, ${fields.accountName}`,
      opportunityDescription: random.chance(75)
        ? `${project} for ${random.integer(5, 120)} desks.`
        : null,
      amount: ofCents(random.integer(8, 900) * 10_000),
      opportunityOwner: random.pick(owners).id,
      opportunityAccount: id,
      closeDate: dayOf(workspace, random.integer(20, 120)),
      lastActivityAt: workspace.now,
    })
  })
}

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

/** Writes a note about a person, a deal or both. */
const writeNote: SimulatedEvent = async (workspace, random) => {
  const people = await workspace.where('people')
  const deals = await workspace.where('deals')
  if (people.length === 0 || deals.length === 0) return false
  return withOne(random, await team(workspace), (author) => {
    const person = random.chance(70) ? random.pick(people) : undefined
    const deal = person && random.chance(70) ? undefined : random.pick(deals)
    const occasion = random.pick(['Call', 'Visit', 'E-mail', 'Lunch', 'Demo'])
    return workspace.create('notes', {
      noteOwner: author.id,
      noteTitle: `${occasion} with ${person?.fields.firstName ?? 'the buyer'}`,
      noteContent: random.pick(noteTexts),
      noteContact: person?.id ?? null,
      noteAccount: person?.fields.account ?? deal?.fields.opportunityAccount ?? null,
      noteOpportunity: deal?.id ?? null,
    })
  })
}

const throwNoteAway: SimulatedEvent = async (workspace, random) =>
  withOne(random, (await workspace.where('notes')).slice(0, 20), (note) => workspace.remove(note))

const setTask: SimulatedEvent = async (workspace, random) => {
  const deals = await openDeals(workspace)
  const deal = deals.length > 0 && random.chance(80) ? random.pick(deals) : undefined
  return withOne(random, await team(workspace), (assignee) =>
    workspace.create('tasks', {
      taskSubject: random.pick(taskTitles),
      taskContent: random.chance(70)
        ? `For ${deal?.fields.opportunityName ?? 'the whole team'}.`
        : null,
      taskOwner: assignee.id,
      taskOpportunity: deal?.id ?? null,
      dueDate: dayOf(workspace, random.integer(2, 21)),
    }),
  )
}

const doTask: SimulatedEvent = async (workspace, random) => {
  const tasks = await workspace.where('tasks', ({ taskStatus }) => taskStatus !== 'done')
  return withOne(random, tasks.slice(0, 8), (task) => {
    const isStart = task.fields.taskStatus === 'todo' && random.chance(30)
    return workspace.update(task, { taskStatus: isStart ? 'doing' : 'done' })
  })
}

/** Events that only the history has. */
export const salesGrowth = { meetOrganization, meetPerson }

/** Events of the CRM, by name. An event that is listed twice happens twice as often. */
export const salesEvents = {
  meetLead,
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
