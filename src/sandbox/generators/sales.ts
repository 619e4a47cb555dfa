/** Generates records of the CRM. */
import { ofCents } from '../amounts.ts'
import type { KindInput, Stored } from '../kinds/kinds.ts'
import type { Random } from '../random.ts'
import {
  generateCity,
  generateLocation,
  generateName,
  generatePhones,
  mailOf,
  type PersonName,
  slug,
} from './contacts.ts'
import { dayAfter } from './documents.ts'
import { jobTitles, leadSources, sectors } from './words.ts'

/** Writes an instant with the UTC offset of an office. */
const withOffset = (random: Random, instant: string): string => {
  const offset = random.pick([0, 1, 2])
  const local = new Date(Date.parse(instant) + offset * 3_600_000).toISOString()
  return `${local.slice(0, 19)}+0${offset}:00`
}

/** Generates an organization; `lastTouch` is the instant of the last contact. */
export const generateOrganization = (
  random: Random,
  name: string,
  owner: Stored<'members'>,
  lastTouch: string,
): KindInput<'organizations'> => {
  const city = generateCity(random)
  const sector = random.pick(sectors)
  return {
    name,
    owner: owner.id,
    about: random.chance(80)
      ? `${sector}, ${city.city}. Met through ${random.pick(leadSources)}.`
      : null,
    sector,
    website: `https://www.${slug(name)}.example`,
    headcount: random.chance(85) ? random.integer(4, 900) : null,
    last_touch: withOffset(random, lastTouch),
    locations: [generateLocation(random, city, 'Head office')],
    phones: generatePhones(random, city),
  }
}

const mailboxes = (random: Random, name: PersonName, company: string) => {
  const work = { use: 'work' as const, address: mailOf(name, company) }
  return random.chance(30)
    ? [work, { use: 'private' as const, address: mailOf(name, 'mail') }]
    : [work]
}

/** Generates a person, with or without an organization. */
export const generatePerson = (
  random: Random,
  organization: Stored<'organizations'> | undefined,
  lastTouch: string,
): KindInput<'people'> => {
  const name = generateName(random)
  const city = generateCity(random)
  return {
    ...name,
    organization: organization?.id ?? null,
    job_title: random.pick(jobTitles),
    emails: mailboxes(random, name, organization?.fields.name ?? 'freelance'),
    phones: generatePhones(random, city),
    locations: [
      {
        ...generateLocation(random, city, random.chance(70) ? 'Office' : 'Home'),
        street2: random.chance(30) ? `Floor ${random.integer(1, 9)}` : null,
        region_code: city.regionCode,
      },
    ],
    last_touch: random.chance(90) ? withOffset(random, lastTouch) : null,
  }
}

/** Generates a lead at a new company. */
export const generateLead = (
  random: Random,
  company: string,
  owner: Stored<'members'>,
): KindInput<'leads'> => {
  const name = generateName(random)
  const city = generateCity(random)
  return {
    ...name,
    company_name: company,
    job_title: random.pick(jobTitles),
    source: random.pick(leadSources),
    rating: random.pick(['cold', 'cold', 'warm', 'hot']),
    owner: owner.id,
    emails: mailboxes(random, name, company),
    phones: random.chance(80) ? generatePhones(random, city) : [],
    locations: random.chance(70) ? [generateLocation(random, city, 'Office')] : [],
  }
}

const PROJECTS = ['Office move', 'New warehouse', 'Annual supply', 'Fit-out', 'Pilot', 'Renewal']

/** Generates a deal with an organization, opened at an instant. */
export const generateDeal = (
  random: Random,
  organization: Stored<'organizations'>,
  owner: Stored<'members'>,
  stage: string,
  opened: string,
): KindInput<'deals'> => {
  const project = random.pick(PROJECTS)
  return {
    title: `${project}, ${organization.fields.name}`,
    summary: random.chance(75) ? `${project} for ${random.integer(5, 120)} desks.` : null,
    value: ofCents(random.integer(8, 900) * 10_000),
    owner: owner.id,
    organization: organization.id,
    stage,
    closes_on: dayAfter(opened.slice(0, 10), random.integer(20, 120)),
    last_touch: withOffset(random, opened),
  }
}

/** Records that a note may be about. */
export interface NoteSubjects {
  readonly people: readonly Stored<'people'>[]
  readonly deals: readonly Stored<'deals'>[]
}

/** Generates a note about a person, a deal or both. */
export const generateNote = (
  random: Random,
  author: Stored<'members'>,
  { people, deals }: NoteSubjects,
): KindInput<'notes'> => {
  const person = random.chance(70) ? random.pick(people) : undefined
  const deal = person && random.chance(70) ? undefined : random.pick(deals)
  const subject = random.pick(['Call', 'Visit', 'E-mail', 'Lunch', 'Demo'])
  return {
    author: author.id,
    subject: `${subject} with ${person?.fields.given_name ?? 'the buyer'}`,
    text: random.pick([
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

/** Generates a task that is due in 2 to 21 days. */
export const generateTask = (
  random: Random,
  assignee: Stored<'members'>,
  deal: Stored<'deals'> | undefined,
  today: string,
): KindInput<'tasks'> => ({
  title: random.pick([
    'Send quote',
    'Call back',
    'Prepare demo',
    'Check credit',
    'Book site survey',
  ]),
  details: random.chance(70) ? `For ${deal?.fields.title ?? 'the whole team'}.` : null,
  assignee: assignee.id,
  deal: deal?.id ?? null,
  due_on: dayAfter(today, random.integer(2, 21)),
})
