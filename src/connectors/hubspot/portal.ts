/** The settings of an account that listings, mappings and writes need. */

import type { Steps } from '../../definition/connector.ts'
import { defineContext } from '../../definition/context.ts'
import { readAll } from '../../definition/paging/compose.ts'
import { cursorPages } from '../../definition/paging/cursor.ts'
import { withQuery } from '../../definition/paging/pager.ts'
import { entriesOf, type Values, valuesOf } from '../../definition/raw-values.ts'
import { isTimeZone } from './days.ts'
import { ACCOUNT_PATH, crmPath, type ObjectType, objectTypes } from './object-type.ts'

/** A stage of deals. */
export type DealStage = {
  readonly pipeline: string
  readonly status: 'open' | 'won' | 'lost'
}

const OWNERS_PER_PAGE = 500 // maximum of the API

/** The owners of an account: the active ones, or those whose user is deactivated. */
export const ownerPages = (archived: boolean) =>
  cursorPages({
    request: ({ after }) => ({
      method: 'GET',
      path: withQuery(crmPath('owners'), { limit: OWNERS_PER_PAGE, archived, after }),
    }),
    records: 'results',
    next: 'paging.next.after',
  })

/** The full name of an owner; undefined if HubSpot has none. */
export const nameOf = ({ firstName, lastName }: Values): string | undefined => {
  const name = [firstName, lastName].filter((part) => typeof part === 'string' && part !== '')
  return name.length > 0 ? name.join(' ') : undefined
}

/** The properties that an app may read, as HubSpot describes them. */
export function* readProperties({ name }: ObjectType): Steps<readonly Values[]> {
  const { body } = yield { method: 'GET', path: crmPath('properties', name) }
  return entriesOf(valuesOf(body).results)
}

/** Whether an account has defined the property itself. */
const isCustom = ({ hubspotDefined, archived }: Values): boolean =>
  hubspotDefined === false && archived !== true

/** Whether HubSpot refuses a request for good: the account has no leads, or the token no permission for them. */
const isRefusal = (error: unknown): boolean => {
  const { kind } = Object(error)
  return kind === 'refused' || kind === 'absent'
}

function* customNames(type: ObjectType): Steps<readonly string[]> {
  try {
    const described = (yield* readProperties(type)).filter(isCustom)
    return described.map(({ name }) => String(name)).sort()
  } catch (error) {
    if (isRefusal(error)) return []
    throw error
  }
}

/** NOTES "status of a deal". */
const statusOf = (metadata: unknown): DealStage['status'] => {
  const probability = Number(valuesOf(metadata).probability ?? Number.NaN)
  if (probability === 1) return 'won'
  return probability === 0 ? 'lost' : 'open'
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1

const sortedObject = <Value>(
  entries: readonly (readonly [string, Value])[],
): Readonly<Record<string, Value>> => Object.fromEntries([...entries].sort(byKey))

function* readStages(): Steps<Readonly<Record<string, DealStage>>> {
  const { body } = yield { method: 'GET', path: crmPath('pipelines', 'deals') }
  return sortedObject(
    entriesOf(valuesOf(body).results).flatMap(({ id: pipeline, stages }) =>
      entriesOf(stages).map(
        ({ id, metadata }) =>
          [String(id), { pipeline: String(pipeline), status: statusOf(metadata) }] as const,
      ),
    ),
  )
}

function* readOwners(): Steps<Readonly<Record<string, string>>> {
  const active = yield* readAll(ownerPages(false))
  const archived = yield* readAll(ownerPages(true))
  return sortedObject(
    [...archived, ...active].flatMap((owner) => {
      const values = valuesOf(owner)
      const name = nameOf(values) ?? values.email
      return typeof name === 'string' ? [[String(values.id), name] as const] : []
    }),
  )
}

/** The context of an account. */
export const portal = defineContext({
  version: 1,
  *read() {
    const { companyCurrency, timeZone } = valuesOf(
      (yield { method: 'GET', path: ACCOUNT_PATH }).body,
    )
    const owners = yield* readOwners()
    const stages = yield* readStages()
    const properties: Record<string, readonly string[]> = {}
    for (const type of objectTypes) properties[type.name] = yield* customNames(type)
    return {
      currency: typeof companyCurrency === 'string' ? companyCurrency : null,
      timeZone: typeof timeZone === 'string' && isTimeZone(timeZone) ? timeZone : 'UTC',
      /** Names of the owners, by id. */
      owners,
      /** Stages of deals, by id. */
      stages,
      /** Names of the custom properties, by type of objects. */
      properties,
    }
  },
})

/** The names of the properties that are read from objects of a type. */
export const propertyNames = (type: ObjectType, context: unknown): readonly string[] => [
  ...type.properties,
  ...(portal.of(context).properties[type.name] ?? []),
]
