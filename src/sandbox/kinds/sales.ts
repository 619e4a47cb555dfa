/** CRM kinds: members, organizations, people, leads, deals, notes and tasks. */
import { z } from 'zod'
import * as a from './blocks.ts'
import { defineKind, type RecordCompletion, ref } from './kind.ts'

const nameOf = (member: string | null, { lookUp }: RecordCompletion): string | null => {
  const name = member === null ? undefined : lookUp('members', member)?.full_name
  return typeof name === 'string' ? name : null
}

const contactDetails = {
  locations: a.list(a.location),
  phones: a.list(a.phone),
}

const owner = { owner: ref('members').nullable().default(null) }

/** Users of the CRM. */
export const members = defineKind({
  topic: 'crm/users',
  prefix: 'mem',
  fields: z.strictObject({ full_name: a.line(), email: a.email(), active: z.boolean() }),
})

/** Organizations. */
export const organizations = defineKind({
  topic: 'crm/accounts',
  prefix: 'org',
  fields: z.strictObject({
    name: a.line(),
    ...owner,
    about: a.multilineText(),
    sector: a.lineOrNull(),
    website: a.webAddress().nullable().default(null),
    headcount: z.int().min(0).max(10_000_000).nullable().default(null),
    last_touch: a.instant().nullable().default(null),
    ...contactDetails,
  }),
  complete: (input, context) => ({ owner_name: nameOf(input.owner, context) }),
})

/** People, most of them at an organization. */
export const people = defineKind({
  topic: 'crm/contacts',
  prefix: 'per',
  fields: z.strictObject({
    given_name: a.lineOrNull(),
    family_name: a.line(),
    organization: ref('organizations').nullable().default(null),
    job_title: a.lineOrNull(),
    emails: a.list(a.mailbox),
    last_touch: a.instant().nullable().default(null),
    phones: contactDetails.phones,
    locations: a.list(a.location.extend({ street2: a.lineOrNull(), region_code: a.lineOrNull() })),
  }),
})

/** Leads. */
export const leads = defineKind({
  topic: 'crm/leads',
  prefix: 'lea',
  fields: z.strictObject({
    given_name: a.lineOrNull(),
    family_name: a.lineOrNull(),
    company_name: a.lineOrNull(),
    job_title: a.lineOrNull(),
    source: a.lineOrNull(),
    rating: z.enum(['cold', 'warm', 'hot']).default('cold'),
    ...owner,
    emails: a.list(a.mailbox),
    ...contactDetails,
  }),
  complete: (input, context) => ({ owner_name: nameOf(input.owner, context) }),
})

/** Stages of the sales pipeline. */
export const dealStages = defineKind({
  topic: 'crm/stages',
  prefix: 'stg',
  fields: z.strictObject({
    label: a.line(),
    pipeline: a.line(),
    position: z.int(),
    /** 100: won, 0: lost. */
    win_percent: z.int().min(0).max(100),
  }),
})

/** Deals. The stage decides whether a deal is open, won or lost. */
export const deals = defineKind({
  topic: 'crm/opportunities',
  prefix: 'dea',
  fields: z.strictObject({
    title: a.line(),
    summary: a.multilineText(),
    value: a.money().nullable().default(null),
    currency_code: a.currency().default('EUR'),
    ...owner,
    organization: ref('organizations').nullable().default(null),
    stage: ref('deal_stages').default('stg_0001'),
    closes_on: a.day().nullable().default(null),
    last_touch: a.instant().nullable().default(null),
  }),
  complete: ({ stage }, { lookUp }) => {
    const percent = lookUp('deal_stages', stage)?.win_percent
    return { outcome: percent === 100 ? 'won' : percent === 0 ? 'lost' : 'open' }
  },
})

/** Notes about a person, an organization or a deal. */
export const notes = defineKind({
  topic: 'crm/notes',
  prefix: 'not',
  fields: z.strictObject({
    author: ref('members').nullable().default(null),
    subject: a.lineOrNull(),
    text: a.multilineText(),
    person: ref('people').nullable().default(null),
    organization: ref('organizations').nullable().default(null),
    deal: ref('deals').nullable().default(null),
  }),
})

/** Tasks. The sandbox sets `done_on` to the day on which `progress` becomes `done`. */
export const tasks = defineKind({
  topic: 'crm/tasks',
  prefix: 'tsk',
  fields: z.strictObject({
    title: a.line(),
    details: a.multilineText(),
    assignee: ref('members').nullable().default(null),
    deal: ref('deals').nullable().default(null),
    progress: z.enum(['todo', 'doing', 'done']).default('todo'),
    due_on: a.day().nullable().default(null),
  }),
  complete: ({ progress }, { previous, today }) => {
    const done = typeof previous?.done_on === 'string' ? previous.done_on : today
    return { done_on: progress === 'done' ? done : null }
  },
})
