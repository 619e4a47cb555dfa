/** What happens in the CRM. */
import { inventCompanyNames } from '../invent/contacts.ts'
import { inventDeal, inventLead, inventNote, inventTask } from '../invent/sales.ts'
import { jobTitles } from '../invent/words.ts'
import type { Workspace } from '../workspace.ts'
import { type Card, liveWhere, todayOf, withOne } from './card.ts'

const team = (workspace: Workspace) => liveWhere(workspace, 'members', ({ active }) => active)

const meetLead: Card = async (workspace, dice) =>
  withOne(dice, await team(workspace), (owner) => {
    const [company = 'Newcomer'] = inventCompanyNames(dice, 1)
    return workspace.create('leads', inventLead(dice, company, owner))
  })

const promoteLead: Card = async (workspace, dice) =>
  withOne(dice, await workspace.live('leads'), (lead) =>
    workspace.update(lead, {
      job_title: dice.pick(jobTitles.filter((title) => title !== lead.fields.job_title)),
      rating: dice.pick(['warm', 'hot']),
    }),
  )

/** A lead that turned out well becomes a person at an organisation, and is no lead any more. */
const convertLead: Card = async (workspace, dice) => {
  const leads = await liveWhere(workspace, 'leads', ({ family_name }) => family_name !== null)
  return withOne(dice, leads.slice(0, 10), async (lead) => {
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

const openDeal: Card = async (workspace, dice) => {
  const owners = await team(workspace)
  return withOne(dice, await workspace.live('organizations'), (organization) =>
    workspace.create(
      'deals',
      inventDeal(dice, organization, dice.pick(owners), 'stg_0001', workspace.now),
    ),
  )
}

/** One stage on, or lost. */
const moveDeal: Card = async (workspace, dice) => {
  const deals = await liveWhere(workspace, 'deals', ({ outcome }) => outcome === 'open')
  const stages = await workspace.live('deal_stages')
  return withOne(dice, deals.slice(0, 12), (deal) => {
    const place = stages.findIndex(({ id }) => id === deal.fields.stage)
    const next = dice.chance(15) ? stages.at(-1) : stages[place + 1]
    return workspace.update(deal, {
      stage: next?.id ?? deal.fields.stage,
      last_touch: workspace.now,
    })
  })
}

const writeNote: Card = async (workspace, dice) => {
  const people = await workspace.live('people')
  const deals = await workspace.live('deals')
  if (people.length === 0 || deals.length === 0) return false
  return withOne(dice, await team(workspace), (author) =>
    workspace.create('notes', inventNote(dice, author, { people, deals })),
  )
}

const throwNoteAway: Card = async (workspace, dice) =>
  withOne(dice, (await workspace.live('notes')).slice(0, 20), (note) => workspace.remove(note))

const setTask: Card = async (workspace, dice) => {
  const deals = await liveWhere(workspace, 'deals', ({ outcome }) => outcome === 'open')
  const deal = deals.length > 0 && dice.chance(80) ? dice.pick(deals) : undefined
  return withOne(dice, await team(workspace), (assignee) =>
    workspace.create('tasks', inventTask(dice, assignee, deal, todayOf(workspace))),
  )
}

const doTask: Card = async (workspace, dice) => {
  const tasks = await liveWhere(workspace, 'tasks', ({ progress }) => progress !== 'done')
  return withOne(dice, tasks.slice(0, 8), (task) => workspace.update(task, { progress: 'done' }))
}

/** The cards of the CRM. */
export const salesCards = {
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
