/** The table: who is let in, and to whom things are as absent as what never was. */
import type { Caller, Distance } from './callers.ts'
import type { NamedObject, Row } from './rows.ts'

/** Whose a thing is. Records are the environment's: no end user's token opens any. */
const OWNERS: Readonly<Record<string, 'user' | 'environment'>> = {
  users: 'user',
  credentials: 'user',
  installations: 'user',
  integrations: 'environment',
  workflows: 'environment',
  webhooks: 'environment',
  'api-keys': 'environment',
}

const ownerOf = (target: string): 'user' | 'environment' => OWNERS[target] ?? 'environment'

/** Whether a caller of a distance is to find a thing. */
const FINDS: Readonly<Record<Distance, Readonly<Record<'user' | 'environment', boolean>>>> = {
  own: { user: true, environment: true },
  'other user': { user: false, environment: true },
  elsewhere: { user: false, environment: false },
}

export type Expected =
  | { readonly outcome: 'open' }
  | { readonly outcome: 'refused'; readonly status: number; readonly code: string }
  /** Each of these alone makes the question one for what is not there. */
  | { readonly outcome: 'absent'; readonly objects: readonly NamedObject[] }
  | { readonly outcome: 'allowed' }

const refused = (status: number, code: string): Expected => ({ outcome: 'refused', status, code })

/** What a cell of the matrix is to be. */
export const expectedOf = (row: Row, { kind, distance }: Caller): Expected => {
  if (row.door === 'open') return { outcome: 'open' }
  if (kind === 'nobody') return refused(401, 'UNAUTHENTICATED')
  if (kind === 'user' && row.door === 'keys') return refused(403, 'FORBIDDEN')
  const objects = row.objects.filter((object) => !FINDS[distance][ownerOf(object.target)])
  return objects.length > 0 ? { outcome: 'absent', objects } : { outcome: 'allowed' }
}

/** The things of a world that such a caller may not even see named. */
export const hiddenFrom = (distance: Distance, target: string): boolean =>
  !FINDS[distance][ownerOf(target)]
