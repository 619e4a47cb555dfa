/** The CRM: people, organisations and what may become of them. */
import { z } from 'zod'
import * as a from './blocks.ts'
import { type Completion, defineKind, ref } from './kind.ts'

const nameOf = (member: string | null, { look }: Completion): string | null => {
  const name = member === null ? undefined : look('members', member)?.full_name
  return typeof name === 'string' ? name : null
}

const reach = {
  locations: a.list(a.location),
  phones: a.list(a.phone),
}

const owner = { owner: ref('members').nullable().default(null) }

/** Who works with the CRM. */
export const members = defineKind({
  prefix: 'mem',
  readOnly: true,
  fields: z.strictObject({ full_name: a.line(), email: a.email(), active: z.boolean() }),
})

/** Organisations that are dealt with. */
export const organizations = defineKind({
  prefix: 'org',
  fields: z.strictObject({
    name: a.line(),
    ...owner,
    about: a.prose(),
    sector: a.lineOrNull(),
    website: a.webAddress().nullable().default(null),
    headcount: z.int().min(0).max(10_000_000).nullable().default(null),
    last_touch: a.instant().nullable().default(null),
    ...reach,
  }),
  complete: (given, context) => ({ owner_name: nameOf(given.owner, context) }),
})

/** People that are dealt with, most of them at an organisation. */
export const people = defineKind({
  prefix: 'per',
  fields: z.strictObject({
    given_name: a.lineOrNull(),
    family_name: a.line(),
    organization: ref('organizations').nullable().default(null),
    job_title: a.lineOrNull(),
    emails: a.list(a.mailbox),
    last_touch: a.instant().nullable().default(null),
    phones: reach.phones,
    locations: a.list(a.location.extend({ street2: a.lineOrNull(), region_code: a.lineOrNull() })),
  }),
})

/** People who may become more. */
export const leads = defineKind({
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
    ...reach,
  }),
  complete: (given, context) => ({ owner_name: nameOf(given.owner, context) }),
})

/** The steps on the way to a sale. */
export const dealStages = defineKind({
  prefix: 'stg',
  readOnly: true,
  fields: z.strictObject({
    label: a.line(),
    pipeline: a.line(),
    position: z.int(),
    /** 100: won, 0: lost. */
    win_percent: z.int().min(0).max(100),
  }),
})

/** Sales in the making. The stage decides whether one is open, won or lost. */
export const deals = defineKind({
  prefix: 'dea',
  fields: z.strictObject({
    title: a.line(),
    summary: a.prose(),
    value: a.money().nullable().default(null),
    currency_code: a.currency().default('EUR'),
    ...owner,
    organization: ref('organizations').nullable().default(null),
    stage: ref('deal_stages').default('stg_0001'),
    closes_on: a.day().nullable().default(null),
    last_touch: a.instant().nullable().default(null),
  }),
  complete: ({ stage }, { look }) => {
    const percent = look('deal_stages', stage)?.win_percent
    return { outcome: percent === 100 ? 'won' : percent === 0 ? 'lost' : 'open' }
  },
})

/** What was written down about a person, an organisation or a deal. */
export const notes = defineKind({
  prefix: 'not',
  fields: z.strictObject({
    author: ref('members').nullable().default(null),
    subject: a.lineOrNull(),
    text: a.prose(),
    person: ref('people').nullable().default(null),
    organization: ref('organizations').nullable().default(null),
    deal: ref('deals').nullable().default(null),
  }),
})

/** What somebody has to do. It is done on the day on which it is said to be. */
export const tasks = defineKind({
  prefix: 'tsk',
  fields: z.strictObject({
    title: a.line(),
    details: a.prose(),
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
