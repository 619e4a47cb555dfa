/** The request budget of a credential: what is left of the limits of its app. */

import { type CountedLimits, countLimits } from '../../definition/counted-limits.ts'
import {
  defineShape,
  enumeration,
  integer,
  list,
  number,
  object,
  text,
  timestamp,
} from '../../definition/field.ts'
import { type LimitScope, periodMs } from '../../definition/request-limits.ts'
import { readCredential } from '../../store/accounts/credentials.ts'
import { type RemainingWindow, readBudget } from '../../store/budgets/read-budget.ts'
import { type Caller, noCredential } from '../auth/caller.ts'
import { defineOperation, required } from '../operation.ts'
import { CREDENTIAL_PATH, credentialId, EXAMPLE_CREDENTIAL } from './credential-shape.ts'
import { requireCredential } from './credential-syncs.ts'
import { EXAMPLE_USER, userId } from './users.ts'

const spentOn = defineShape({
  name: 'BudgetSpending',
  doc: 'What a limit was spent on.',
  fields: {
    write: required(integer('Writes, the reads that guard them, and the passthrough.')),
    webhook: required(integer('Fetches after a webhook of the app.')),
    changes: required(integer('Listings of changes.')),
    history: required(integer('Full listings.')),
    other: required(integer('Requests of other programs, as far as the app reports them.')),
  },
})

const limit = defineShape({
  name: 'BudgetLimit',
  doc: 'A limit of an app on requests, and what is left of it.',
  fields: {
    name: required(text('The name of the limit: `perMinute`.')),
    scope: required(
      enumeration('Whose requests are counted.', {
        credential: 'Those of the credential.',
        account: 'Those of all credentials of one account in the app.',
        app: 'Those of all credentials of the environment for the app.',
      }),
    ),
    unit: required(
      enumeration('What is counted.', {
        requests: 'Each request counts 1.',
        points: 'Each request counts its cost in points.',
      }),
    ),
    max: required(integer('The maximum in a period.')),
    periodSeconds: required(number('The length of the period in seconds.')),
    spent: required(integer('What was spent in the period that ends now.')),
    remaining: required(integer('What is left.')),
    resetsAt: timestamp(
      'When everything that was spent is available again; null: nothing was spent.',
    ),
    spentOn: required(object(spentOn, 'What it was spent on.')),
  },
})

const budget = defineShape({
  name: 'CredentialBudget',
  doc: 'The request budget of a credential.',
  fields: {
    pausedUntil: timestamp(
      'Until when the app accepts no request, because it has limited the rate; null: it accepts requests.',
    ),
    inFlight: required(integer('Requests in flight; 0 if the app does not limit their number.')),
    maxInFlight: integer('How many requests may be in flight; null: there is no limit.'),
    limits: list(limit, 'The limits of the app; empty: none are known.'),
  },
})

/** The limits that a caller sees. An end user sees no limit that counts the requests of others. */
const visibleTo = ({ kind }: Caller, { windows, scopes, pauseKey }: CountedLimits) => {
  const isVisible = ({ scope }: { readonly scope: LimitScope }): boolean =>
    kind === 'key' || scope !== 'app'
  const seen = { windows: windows.filter(isVisible), scopes: scopes.filter(isVisible), pauseKey }
  const slots = seen.scopes.flatMap((one) => one.slots ?? [])
  return { limits: seen, maxInFlight: slots[0] ?? null }
}

const toLimit = (window: RemainingWindow) => ({
  name: window.name,
  scope: window.scope,
  unit: window.unit,
  max: window.knownMax,
  periodSeconds: periodMs(window) / 1000,
  spent: window.spent,
  remaining: Math.max(0, window.knownMax - window.spent),
  resetsAt: window.resetsAt,
  spentOn: window.spentOn,
})

export const credentialBudgetOperations = [
  defineOperation({
    name: 'credentialBudget',
    summary: 'Get the request budget of a credential',
    doc: "Returns what is left of the app's limits on requests, and what was spent on what. User tokens do not see limits of the scope `app`, which count the requests of all end users.",
    tag: 'Credentials',
    rest: { method: 'GET', path: `${CREDENTIAL_PATH}/budget` },
    callers: ['key', 'user'],
    path: { userId, credentialId },
    response: { key: 'budget', value: object(budget, 'The request budget.') },
    errors: ['USER_NOT_FOUND', 'CREDENTIAL_NOT_FOUND'],
    example: {
      input: { userId: EXAMPLE_USER, credentialId: EXAMPLE_CREDENTIAL },
      result: {
        pausedUntil: null,
        inFlight: 1,
        maxInFlight: 5,
        limits: [
          {
            name: 'perDay',
            scope: 'account',
            unit: 'requests',
            max: 5000,
            periodSeconds: 86_400,
            spent: 1210,
            remaining: 3790,
            resetsAt: '2026-03-05T17:24:00.000Z',
            spentOn: { write: 32, webhook: 140, changes: 902, history: 136, other: 0 },
          },
        ],
      },
    },
    run: async (context, input) => {
      const { database, vault, connectors } = context
      const { credentialId } = await requireCredential(context, input)
      const credential = await readCredential(database, vault, credentialId)
      if (credential === undefined) throw noCredential()
      const { environmentId, app, values } = credential
      const owner = { environmentId, credentialId, app, values }
      const counted = countLimits(connectors.get(app)?.limits, owner)
      const { limits, maxInFlight } = visibleTo(context.caller, counted)
      const { windows, pausedUntil, inFlight } = await readBudget(database, limits)
      return { pausedUntil, inFlight, maxInFlight, limits: windows.map(toLimit) }
    },
  }),
]
