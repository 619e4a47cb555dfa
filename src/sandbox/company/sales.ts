/** Events in the CRM. */
import { ofCents } from '../amounts.ts'
import type { Random } from '../random.ts'
import type { Workspace } from '../workspace.ts'
import {
  generateCity,
  generateCompanyName,
  generateLocation,
  generateName,
  generatePhones,
  mailOf,
  type PersonName,
  slug,
} from './contacts.ts'
import { dayOf, liveWhere, type SimulatedEvent, withOne } from './event.ts'
import { jobTitles, leadSources, noteTexts, projects, sectors, taskTitles } from './words.ts'

const team = (workspace: Workspace) => liveWhere(workspace, 'members', ({ active }) => active)

/** The instant of the workspace with the UTC offset of an office. */
const lastTouch = ({ now }: Workspace, random: Random): string => {
  const offset = random.pick([0, 1, 2])
  const local = new Date(Date.parse(now) + offset * 3_600_000).toISOString()
  return `${local.slice(0, 19)}+0${offset}:00`
}

const mailboxes = (random: Random, name: PersonName, company: string) => {
  const work = { use: 'work', address: mailOf(name, company) }
  return random.chance(30) ? [work, { use: 'private', address: mailOf(name, 'mail') }] : [work]
}

const meetOrganization: SimulatedEvent = async (workspace, random) =>
  withOne(random, await team(workspace), (owner) => {
    const name = generateCompanyName(random)
    const city = generateCity(random)
    const sector = random.pick(sectors)
    const about = `${sector}, ${city.city}. Met through ${random.pick(leadSources)}.`
    return workspace.create('organizations', {
      name,
      owner: owner.id,
      about: random.chance(80) ? about : null,
      sector,
      website: `https://www.${slug(name)}.example`,
      headcount: random.chance(85) ? random.integer(4, 900) : null,
      last_touch: lastTouch(workspace, random),
      locations: [generateLocation(random, city, 'Head office')],
      phones: generatePhones(random, city),
    })
  })

const meetPerson: SimulatedEvent = async (workspace, random) => {
  const organizations = await workspace.live('organizations')
  const isEmployed = organizations.length > 0 && random.chance(88)
  const employer = isEmployed ? random.pick(organizations) : undefined
  const name = generateName(random)
  const city = generateCity(random)
  const location = {
    ...generateLocation(random, city, random.chance(70) ? 'Office' : 'Home'),
    street2: random.chance(30) ? `Floor ${random.integer(1, 9)}` : null,
    region_code: city.regionCode,
  }
  await workspace.create('people', {
    ...name,
    organization: employer?.id ?? null,
    job_title: random.pick(jobTitles),
    emails: mailboxes(random, name, employer?.fields.name ?? 'freelance'),
    phones: generatePhones(random, city),
    locations: [location],
    last_touch: random.chance(90) ? lastTouch(workspace, random) : null,
  })
  return true
}

const meetLead: SimulatedEvent = async (workspace, random) =>
  withOne(random, await team(workspace), (owner) => {
    const name = generateName(random)
    const company = generateCompanyName(random)
    const city = generateCity(random)
    return workspace.create('leads', {
      ...name,
      company_name: company,
      job_title: random.pick(jobTitles),
      source: random.pick(leadSources),
      rating: random.pick(['cold', 'cold', 'warm', 'hot']),
      owner: owner.id,
      emails: mailboxes(random, name, company),
      phones: random.chance(80) ? generatePhones(random, city) : [],
      locations: random.chance(70) ? [generateLocation(random, city, 'Office')] : [],
    })
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
    const { company_name: name, owner, family_name, ...fields } = lead.fields
    const { given_name, job_title, emails, phones, locations } = fields
    const last_touch = workspace.now
    const [known] = await liveWhere(workspace, 'organizations', (other) => other.name === name)
    const created =
      known || name === null
        ? known
        : await workspace.create('organizations', { name, owner, last_touch, locations, phones })
    await workspace.create('people', {
      given_name,
      family_name: family_name ?? '',
      job_title,
      emails,
      phones,
      locations,
      organization: created?.id ?? null,
      last_touch,
    })
    await workspace.remove(lead)
  })
}

const openDeal: SimulatedEvent = async (workspace, random) => {
  const owners = await team(workspace)
  return withOne(random, await workspace.live('organizations'), ({ id, fields }) => {
    const project = random.pick(projects)
    return workspace.create('deals', {
      title: `${project}, ${fields.name}`,
      summary: random.chance(75) ? `${project} for ${random.integer(5, 120)} desks.` : null,
      value: ofCents(random.integer(8, 900) * 10_000),
      owner: random.pick(owners).id,
      organization: id,
      closes_on: dayOf(workspace, random.integer(20, 120)),
      last_touch: lastTouch(workspace, random),
    })
  })
}

/** Moves a deal to the next stage, or to the last one (lost). */
const moveDeal: SimulatedEvent = async (workspace, random) => {
  const deals = await liveWhere(workspace, 'deals', ({ outcome }) => outcome === 'open')
  const stages = await workspace.live('deal_stages')
  return withOne(random, deals.slice(0, 12), (deal) => {
    const position = stages.findIndex(({ id }) => id === deal.fields.stage)
    const next = random.chance(15) ? stages.at(-1) : stages[position + 1]
    const stage = next?.id ?? deal.fields.stage
    return workspace.update(deal, { stage, last_touch: workspace.now })
  })
}

/** Writes a note about a person, a deal or both. */
const writeNote: SimulatedEvent = async (workspace, random) => {
  const people = await workspace.live('people')
  const deals = await workspace.live('deals')
  if (people.length === 0 || deals.length === 0) return false
  return withOne(random, await team(workspace), (author) => {
    const person = random.chance(70) ? random.pick(people) : undefined
    const deal = person && random.chance(70) ? undefined : random.pick(deals)
    const occasion = random.pick(['Call', 'Visit', 'E-mail', 'Lunch', 'Demo'])
    return workspace.create('notes', {
      author: author.id,
      subject: `${occasion} with ${person?.fields.given_name ?? 'the buyer'}`,
      text: random.pick(noteTexts),
      person: person?.id ?? null,
      organization: person?.fields.organization ?? deal?.fields.organization ?? null,
      deal: deal?.id ?? null,
    })
  })
}

const throwNoteAway: SimulatedEvent = async (workspace, random) =>
  withOne(random, (await workspace.live('notes')).slice(0, 20), (note) => workspace.remove(note))

const setTask: SimulatedEvent = async (workspace, random) => {
  const deals = await liveWhere(workspace, 'deals', ({ outcome }) => outcome === 'open')
  const deal = deals.length > 0 && random.chance(80) ? random.pick(deals) : undefined
  return withOne(random, await team(workspace), (assignee) =>
    workspace.create('tasks', {
      title: random.pick(taskTitles),
      details: random.chance(70) ? `For ${deal?.fields.title ?? 'the whole team'}.` : null,
      assignee: assignee.id,
      deal: deal?.id ?? null,
      due_on: dayOf(workspace, random.integer(2, 21)),
    }),
  )
}

const doTask: SimulatedEvent = async (workspace, random) => {
  const tasks = await liveWhere(workspace, 'tasks', ({ progress }) => progress !== 'done')
  return withOne(random, tasks.slice(0, 8), (task) => {
    const isStart = task.fields.progress === 'todo' && random.chance(30)
    return workspace.update(task, { progress: isStart ? 'doing' : 'done' })
  })
}

/** Events that only the history has. */
export const salesGrowth = { meetOrganization, meetPerson }

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
