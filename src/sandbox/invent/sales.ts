/** Invented people, organisations and dealings of the CRM. */
import { amount } from '../amounts.ts'
import type { Dice } from '../dice.ts'
import type { Given, Stored } from '../kinds/kinds.ts'
import {
  inventCity,
  inventLocation,
  inventName,
  inventPhones,
  mailOf,
  type PersonName,
  slug,
} from './contacts.ts'
import { dayAfter } from './documents.ts'
import { jobTitles, leadSources, sectors } from './words.ts'

/** The instant as the CRM writes it, with the offset of the office it was noted in. */
const noted = (dice: Dice, instant: string): string => {
  const offset = dice.pick([0, 1, 2])
  const local = new Date(Date.parse(instant) + offset * 3_600_000).toISOString()
  return `${local.slice(0, 19)}+0${offset}:00`
}

/** An organisation of that name, last dealt with at an instant. */
export const inventOrganization = (
  dice: Dice,
  name: string,
  owner: Stored<'members'>,
  touched: string,
): Given<'organizations'> => {
  const city = inventCity(dice)
  const sector = dice.pick(sectors)
  return {
    name,
    owner: owner.id,
    about: dice.chance(80)
      ? `${sector}, ${city.city}. Met through ${dice.pick(leadSources)}.`
      : null,
    sector,
    website: `https://www.${slug(name)}.example`,
    headcount: dice.chance(85) ? dice.integer(4, 900) : null,
    last_touch: noted(dice, touched),
    locations: [inventLocation(dice, city, 'Head office')],
    phones: inventPhones(dice, city),
  }
}

const mailboxes = (dice: Dice, name: PersonName, company: string) => {
  const work = { use: 'work' as const, address: mailOf(name, company) }
  return dice.chance(30)
    ? [work, { use: 'private' as const, address: mailOf(name, 'mail') }]
    : [work]
}

/** A person, at an organisation or on their own. */
export const inventPerson = (
  dice: Dice,
  organization: Stored<'organizations'> | undefined,
  touched: string,
): Given<'people'> => {
  const name = inventName(dice)
  const city = inventCity(dice)
  return {
    ...name,
    organization: organization?.id ?? null,
    job_title: dice.pick(jobTitles),
    emails: mailboxes(dice, name, organization?.fields.name ?? 'freelance'),
    phones: inventPhones(dice, city),
    locations: [
      {
        ...inventLocation(dice, city, dice.chance(70) ? 'Office' : 'Home'),
        street2: dice.chance(30) ? `Floor ${dice.integer(1, 9)}` : null,
        region_code: city.regionCode,
      },
    ],
    last_touch: dice.chance(90) ? noted(dice, touched) : null,
  }
}

/** A person at a company that is not known yet. */
export const inventLead = (
  dice: Dice,
  company: string,
  owner: Stored<'members'>,
): Given<'leads'> => {
  const name = inventName(dice)
  const city = inventCity(dice)
  return {
    ...name,
    company_name: company,
    job_title: dice.pick(jobTitles),
    source: dice.pick(leadSources),
    rating: dice.pick(['cold', 'cold', 'warm', 'hot']),
    owner: owner.id,
    emails: mailboxes(dice, name, company),
    phones: dice.chance(80) ? inventPhones(dice, city) : [],
    locations: dice.chance(70) ? [inventLocation(dice, city, 'Office')] : [],
  }
}

const PROJECTS = ['Office move', 'New warehouse', 'Annual supply', 'Fit-out', 'Pilot', 'Renewal']

/** A sale to an organisation, begun at an instant. */
export const inventDeal = (
  dice: Dice,
  organization: Stored<'organizations'>,
  owner: Stored<'members'>,
  stage: string,
  opened: string,
): Given<'deals'> => {
  const project = dice.pick(PROJECTS)
  return {
    title: `${project}, ${organization.fields.name}`,
    summary: dice.chance(75) ? `${project} for ${dice.integer(5, 120)} desks.` : null,
    value: amount(dice.integer(8, 900) * 10_000),
    owner: owner.id,
    organization: organization.id,
    stage,
    closes_on: dayAfter(opened.slice(0, 10), dice.integer(20, 120)),
    last_touch: noted(dice, opened),
  }
}

/** Whom a note may be about. */
export interface NoteSubjects {
  readonly people: readonly Stored<'people'>[]
  readonly deals: readonly Stored<'deals'>[]
}

/** A note about a person, a deal or both. */
export const inventNote = (
  dice: Dice,
  author: Stored<'members'>,
  { people, deals }: NoteSubjects,
): Given<'notes'> => {
  const person = dice.chance(70) ? dice.pick(people) : undefined
  const deal = person && dice.chance(70) ? undefined : dice.pick(deals)
  const subject = dice.pick(['Call', 'Visit', 'E-mail', 'Lunch', 'Demo'])
  return {
    author: author.id,
    subject: `${subject} with ${person?.fields.given_name ?? 'the buyer'}`,
    text: dice.pick([
      'Wants a revised quote by the end of the month.',
      'Happy with the last delivery, asked about a second site.',
      'Budget is approved; decision in the next board meeting.',
      'Has a competing offer. Follow up next week.',
    ]),
    person: person?.id ?? null,
    organization: person?.fields.organization ?? deal?.fields.organization ?? null,
    deal: deal?.id ?? null,
  }
}

/** A task that is due in some days. */
export const inventTask = (
  dice: Dice,
  assignee: Stored<'members'>,
  deal: Stored<'deals'> | undefined,
  today: string,
): Given<'tasks'> => ({
  title: dice.pick(['Send quote', 'Call back', 'Prepare demo', 'Check credit', 'Book site survey']),
  details: dice.chance(70) ? `For ${deal?.fields.title ?? 'the whole team'}.` : null,
  assignee: assignee.id,
  deal: deal?.id ?? null,
  due_on: dayAfter(today, dice.integer(2, 21)),
})
