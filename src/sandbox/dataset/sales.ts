/** The CRM at the start: who is known, what is being sold to them and what was written down. */
import { inventCompanyNames, inventName, mailOf } from '../invent/contacts.ts'
import {
  inventDeal,
  inventLead,
  inventNote,
  inventOrganization,
  inventPerson,
  inventTask,
} from '../invent/sales.ts'
import { titleOf } from './books.ts'
import { type Draft, spread } from './draft.ts'

const STAGES = [
  ['Qualified', 10],
  ['Meeting held', 25],
  ['Quote sent', 50],
  ['Negotiation', 75],
  ['Won', 100],
  ['Lost', 0],
] as const

const draftTeam = (draft: Draft): void => {
  for (const [index, daysAgo] of spread(8, 880, 620).entries()) {
    const name = inventName(draft.dice('members', index))
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

const draftKnown = (draft: Draft): void => {
  const owners = draft.all('members').filter(({ fields }) => fields.active)
  const names = inventCompanyNames(draft.dice('organization names'), 70)
  for (const [index, daysAgo] of spread(30, 600, 40).entries()) {
    const dice = draft.dice('organizations', index)
    const created = draft.instant(daysAgo)
    const touched = draft.instant(dice.integer(1, 38))
    draft.put(
      'organizations',
      inventOrganization(dice, names[index] ?? '', dice.pick(owners), touched),
      created,
    )
  }
  const organizations = draft.all('organizations')
  for (const [index, daysAgo] of spread(45, 590, 20).entries()) {
    const dice = draft.dice('people', index)
    const created = draft.instant(daysAgo)
    const known = organizations.filter((organization) => organization.created < created)
    const employer = known.length > 0 && dice.chance(88) ? dice.pick(known) : undefined
    const touched = draft.instant(dice.integer(1, 18))
    draft.put('people', inventPerson(dice, employer, touched), created)
  }
  for (const [index, daysAgo] of spread(40, 120, 1).entries()) {
    const dice = draft.dice('leads', index)
    draft.put(
      'leads',
      inventLead(dice, names[30 + index] ?? '', dice.pick(owners)),
      draft.instant(daysAgo),
    )
  }
}

const draftDealings = (draft: Draft): void => {
  const owners = draft.all('members').filter(({ fields }) => fields.active)
  const stages = draft.all('deal_stages')
  for (const [index, daysAgo] of spread(32, 160, 2).entries()) {
    const dice = draft.dice('deals', index)
    const created = draft.instant(daysAgo)
    // Old deals are decided.
    const stage = dice.pick(daysAgo > 90 ? stages.slice(4) : stages.slice(0, 4))
    const organization = dice.pick(
      draft.all('organizations').filter((known) => known.created < created),
    )
    draft.put(
      'deals',
      inventDeal(dice, organization, dice.pick(owners), stage.id, created),
      created,
    )
  }
  for (const [index, daysAgo] of spread(40, 110, 1).entries()) {
    const dice = draft.dice('notes', index)
    const created = draft.instant(daysAgo)
    const subjects = {
      people: draft.all('people').filter((known) => known.created < created),
      deals: draft.all('deals').filter((known) => known.created < created),
    }
    draft.put('notes', inventNote(dice, dice.pick(owners), subjects), created)
  }
  for (const [index, daysAgo] of spread(35, 60, 1).entries()) {
    const dice = draft.dice('tasks', index)
    const created = draft.instant(daysAgo)
    const known = draft.all('deals').filter((deal) => deal.created < created)
    const deal = dice.chance(75) ? dice.pick(known) : undefined
    const given = inventTask(dice, dice.pick(owners), deal, created.slice(0, 10))
    const progress =
      daysAgo > 25 && dice.chance(80) ? 'done' : dice.pick(['todo', 'doing'] as const)
    draft.put('tasks', { ...given, progress }, created)
  }
}

/** Needs nothing. */
export const draftSales = (draft: Draft): void => {
  draftTeam(draft)
  draftKnown(draft)
  draftDealings(draft)
}
