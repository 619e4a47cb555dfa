/** CRM kinds: members, organizations, people, leads, deals, notes and tasks. */
import { z } from 'zod'
import { boolean, enumeration, number, text } from '../../definition/field.ts'
import { account } from '../../resources/crm/account.ts'
import { contact } from '../../resources/crm/contact.ts'
import { lead } from '../../resources/crm/lead.ts'
import { note } from '../../resources/crm/note.ts'
import { opportunity } from '../../resources/crm/opportunity.ts'
import { stage } from '../../resources/crm/stage.ts'
import { task } from '../../resources/crm/task.ts'
import { user } from '../../resources/crm/user.ts'
import * as a from './blocks.ts'
import { resourceKind } from './derived.ts'
import { ref } from './kind.ts'

/** The CRM kinds, by collection. */
export const salesKinds = {
  /** Users of the CRM. */
  members: resourceKind(user, 'mem'),
  /** Organizations. */
  organizations: resourceKind(account, 'org', {
    required: ['accountName'],
    own: { numberOfEmployees: z.int().min(0).max(10_000_000).nullable().default(null) },
  }),
  /** People, most of them at an organization. */
  people: resourceKind(contact, 'per', {
    more: {
      job_title: text('Job title'),
      loyalty_points: number('Loyalty points'),
      newsletter: boolean('Newsletter'),
      contact_by: enumeration('Contact by', {
        email: 'By e-mail.',
        phone: 'By telephone.',
        post: 'By letter.',
      }),
    },
    own: {
      loyalty_points: z.int().min(0).max(1_000_000).nullable().default(null),
      newsletter: z.boolean().default(false),
    },
  }),
  /** Leads. */
  leads: resourceKind(lead, 'lea'),
  /** Stages of the sales pipeline. `probability` is 100 for won and 0 for lost. */
  deal_stages: resourceKind(stage, 'stg'),
  /** Deals. The stage decides whether a deal is open, won or lost. */
  deals: resourceKind(opportunity, 'dea', {
    required: ['opportunityName'],
    computed: ['opportunityStatus', 'opportunityState'],
    own: {
      amount: a.moneyOrNull(),
      opportunityStage: ref().default('stg_0001'),
    },
    complete: ({ opportunityStage }, { lookUp }) => {
      const percent = lookUp('deal_stages', opportunityStage)?.probability
      return { opportunityStatus: percent === 100 ? 'won' : percent === 0 ? 'lost' : 'open' }
    },
  }),
  /** Notes about a person, an organization or a deal. */
  notes: resourceKind(note, 'not'),
  /** Tasks. The sandbox sets `completedDate` to the day on which a task becomes `done`. */
  tasks: resourceKind(task, 'tsk', {
    required: ['taskSubject'],
    computed: ['completedDate'],
    own: { taskStatus: a.line().default('todo') },
    complete: ({ taskStatus }, { previous, today }) => {
      const { completedDate = null } = previous ?? {}
      const done = typeof completedDate === 'string' ? completedDate : today
      return { completedDate: taskStatus === 'done' ? done : null }
    },
  }),
}
