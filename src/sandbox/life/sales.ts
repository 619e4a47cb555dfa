/** Simulated events of the CRM. */
import { generateCompanyNames } from '../generators/contacts.ts'
import { generateDeal, generateLead, generateNote, generateTask } from '../generators/sales.ts'
import { jobTitles } from '../generators/words.ts'
import type { Workspace } from '../workspace.ts'
import { liveWhere, type SimulatedEvent, todayOf, withOne } from './event.ts'

const team = (workspace: Workspace) => liveWhere(workspace, 'members', ({ active }) => active)

const meetLead: SimulatedEvent = async (workspace, random) =>
  withOne(random, await team(workspace), (owner) => {
    const [company = 'Newcomer'] = generateCompanyNames(random, 1)
    return workspace.create('leads', generateLead(random, company, owner))
  })

const promoteLead: SimulatedEvent = async (workspace, random) =>
  withOne(random, await workspace.live('leads'), (lead) =>
    workspace.update(lead, {
      job_title: random.pick(jobTitles.filter((title) => title !== lead.fields.job_title)),
      rating: random.pick(['warm', 'hot']),
    }),
  )

/** Converts a lead into a person at an organization and deletes the lead. */
const convertLead: SimulatedEvent = async (workspace, random) => {
  const leads = await liveWhere(workspace, 'leads', ({ family_name }) => family_name !== null)
  return withOne(random, leads.slice(0, 10), async (lead) => {
    const { given_name, family_name, job_title, emails, phones, locations } = lead.fields
    const name = lead.fields.company_name
    const known = await liveWhere(workspace, 'organizations', (fields) => fields.name === name)
    const organization =
      known[0] ??
      (name === null
        ? undefined
        : await workspace.create('organizations', {
            name,
            owner: lead.fields.owner,
            last_touch: workspace.now,
            locations,
            phones,
          }))
    await workspace.create('people', {
      given_name,
      family_name: family_name ?? '',
      job_title,
      emails,
      phones,
      locations,
      organization: organization?.id ?? null,
      last_touch: workspace.now,
    })
    await workspace.remove(lead)
  })
}

const openDeal: SimulatedEvent = async (workspace, random) => {
  const owners = await team(workspace)
  return withOne(random, await workspace.live('organizations'), (organization) =>
    workspace.create(
      'deals',
      generateDeal(random, organization, random.pick(owners), 'stg_0001', workspace.now),
    ),
  )
}

/** Moves a deal to the next stage, or to the last one (lost). */
const moveDeal: SimulatedEvent = async (workspace, random) => {
  const deals = await liveWhere(workspace, 'deals', ({ outcome }) => outcome === 'open')
  const stages = await workspace.live('deal_stages')
  return withOne(random, deals.slice(0, 12), (deal) => {
    const position = stages.findIndex(({ id }) => id === deal.fields.stage)
    const next = random.chance(15) ? stages.at(-1) : stages[position + 1]
    return workspace.update(deal, {
      stage: next?.id ?? deal.fields.stage,
      last_touch: workspace.now,
    })
  })
}

const writeNote: SimulatedEvent = async (workspace, random) => {
  const people = await workspace.live('people')
  const deals = await workspace.live('deals')
  if (people.length === 0 || deals.length === 0) return false
  return withOne(random, await team(workspace), (author) =>
    workspace.create('notes', generateNote(random, author, { people, deals })),
  )
}

const throwNoteAway: SimulatedEvent = async (workspace, random) =>
  withOne(random, (await workspace.live('notes')).slice(0, 20), (note) => workspace.remove(note))

const setTask: SimulatedEvent = async (workspace, random) => {
  const deals = await liveWhere(workspace, 'deals', ({ outcome }) => outcome === 'open')
  const deal = deals.length > 0 && random.chance(80) ? random.pick(deals) : undefined
  return withOne(random, await team(workspace), (assignee) =>
    workspace.create('tasks', generateTask(random, assignee, deal, todayOf(workspace))),
  )
}

const doTask: SimulatedEvent = async (workspace, random) => {
  const tasks = await liveWhere(workspace, 'tasks', ({ progress }) => progress !== 'done')
  return withOne(random, tasks.slice(0, 8), (task) => workspace.update(task, { progress: 'done' }))
}

/** Events of the CRM, by name. An event that is listed twice happens twice as often. */
export const salesEvents = {
  meetLead,
  promoteLead,
  convertLead,
  openDeal,
  moveDeal,
  moveAnotherDeal: moveDeal,
  writeNote,
  throwNoteAway,
  setTask,
  doTask,
}
