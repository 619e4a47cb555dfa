/** Initial CRM records. */
import { generateCompanyNames, generateName, mailOf } from '../generators/contacts.ts'
import {
  generateDeal,
  generateLead,
  generateNote,
  generateOrganization,
  generatePerson,
  generateTask,
} from '../generators/sales.ts'
import { titleOf } from './books.ts'
import { type DatasetDraft, spread } from './draft.ts'

const STAGES = [
  ['Qualified', 10],
  ['Meeting held', 25],
  ['Quote sent', 50],
  ['Negotiation', 75],
  ['Won', 100],
  ['Lost', 0],
] as const

const draftTeam = (draft: DatasetDraft): void => {
  for (const [index, daysAgo] of spread(8, 880, 620).entries()) {
    const name = generateName(draft.random('members', index))
    draft.put(
      'members',
      {
        full_name: `${name.given_name} ${name.family_name}`,
        email: mailOf(name, titleOf(draft.tenant)),
        active: index !== 6,
      },
      draft.instant(daysAgo),
    )
  }
  for (const [index, [label, win_percent]] of STAGES.entries())
    draft.put(
      'deal_stages',
      { label, pipeline: 'Sales', position: index + 1, win_percent },
      draft.instant(880),
    )
}

const draftContacts = (draft: DatasetDraft): void => {
  const owners = draft.all('members').filter(({ fields }) => fields.active)
  const names = generateCompanyNames(draft.random('organization names'), 70)
  for (const [index, daysAgo] of spread(30, 600, 40).entries()) {
    const random = draft.random('organizations', index)
    const created = draft.instant(daysAgo)
    const lastTouch = draft.instant(random.integer(1, 38))
    draft.put(
      'organizations',
      generateOrganization(random, names[index] ?? '', random.pick(owners), lastTouch),
      created,
    )
  }
  const organizations = draft.all('organizations')
  for (const [index, daysAgo] of spread(45, 590, 20).entries()) {
    const random = draft.random('people', index)
    const created = draft.instant(daysAgo)
    const earlier = organizations.filter((organization) => organization.created < created)
    const employer = earlier.length > 0 && random.chance(88) ? random.pick(earlier) : undefined
    const lastTouch = draft.instant(random.integer(1, 18))
    draft.put('people', generatePerson(random, employer, lastTouch), created)
  }
  for (const [index, daysAgo] of spread(40, 120, 1).entries()) {
    const random = draft.random('leads', index)
    draft.put(
      'leads',
      generateLead(random, names[30 + index] ?? '', random.pick(owners)),
      draft.instant(daysAgo),
    )
  }
}

const draftActivity = (draft: DatasetDraft): void => {
  const owners = draft.all('members').filter(({ fields }) => fields.active)
  const stages = draft.all('deal_stages')
  for (const [index, daysAgo] of spread(32, 160, 2).entries()) {
    const random = draft.random('deals', index)
    const created = draft.instant(daysAgo)
    // Old deals are won or lost.
    const stage = random.pick(daysAgo > 90 ? stages.slice(4) : stages.slice(0, 4))
    const organization = random.pick(
      draft.all('organizations').filter((earlier) => earlier.created < created),
    )
    draft.put(
      'deals',
      generateDeal(random, organization, random.pick(owners), stage.id, created),
      created,
    )
  }
  for (const [index, daysAgo] of spread(40, 110, 1).entries()) {
    const random = draft.random('notes', index)
    const created = draft.instant(daysAgo)
    const subjects = {
      people: draft.all('people').filter((earlier) => earlier.created < created),
      deals: draft.all('deals').filter((earlier) => earlier.created < created),
    }
    draft.put('notes', generateNote(random, random.pick(owners), subjects), created)
  }
  for (const [index, daysAgo] of spread(35, 60, 1).entries()) {
    const random = draft.random('tasks', index)
    const created = draft.instant(daysAgo)
    const earlier = draft.all('deals').filter((deal) => deal.created < created)
    const deal = random.chance(75) ? random.pick(earlier) : undefined
    const input = generateTask(random, random.pick(owners), deal, created.slice(0, 10))
    const progress =
      daysAgo > 25 && random.chance(80) ? 'done' : random.pick(['todo', 'doing'] as const)
    draft.put('tasks', { ...input, progress }, created)
  }
}

/** Adds the CRM records. It depends on no other records. */
export const draftSales = (draft: DatasetDraft): void => {
  draftTeam(draft)
  draftContacts(draft)
  draftActivity(draft)
}
