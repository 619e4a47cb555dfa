/** The access table: which callers are allowed, and for which callers an object does not exist. */
import type { Caller, Relation } from './callers.ts'
import type { NamedObject, Row } from './rows.ts'

/** The owner of each kind of object. Records belong to the environment: no user token opens them. */
const OWNERS: Readonly<Record<string, 'user' | 'environment'>> = {
  users: 'user',
  credentials: 'user',
  installations: 'user',
  authorizations: 'user',
  reconciliations: 'user',
  integrations: 'environment',
  workflows: 'environment',
  webhooks: 'environment',
  'api-keys': 'environment',
}

const ownerOf = (target: string): 'user' | 'environment' => OWNERS[target] ?? 'environment'

/** The owners whose objects a caller finds, by relation of the caller. */
const FINDS: Readonly<Record<Relation, Readonly<Record<'user' | 'environment', boolean>>>> = {
  own: { user: true, environment: true },
  'other user': { user: false, environment: true },
  elsewhere: { user: false, environment: false },
}

export type Expected =
  | { readonly outcome: 'open' }
  | { readonly outcome: 'refused'; readonly status: number; readonly code: string }
  /** Each of these objects alone makes the request respond as for an object that does not exist. */
  | { readonly outcome: 'absent'; readonly objects: readonly NamedObject[] }
  | { readonly outcome: 'allowed' }

const rejection = (status: number, code: string): Expected => ({ outcome: 'refused', status, code })

/** The expected result of one cell of the matrix. */
export const expectedOf = (row: Row, { kind, relation }: Caller): Expected => {
  if (row.access === 'open') return { outcome: 'open' }
  if (kind === 'anonymous') return rejection(401, 'UNAUTHENTICATED')
  if (kind === 'user' && row.access === 'keys') return rejection(403, 'FORBIDDEN')
  const objects = row.objects.filter((object) => !FINDS[relation][ownerOf(object.target)])
  return objects.length > 0 ? { outcome: 'absent', objects } : { outcome: 'allowed' }
}

/** Whether the caller must not see an object of this kind at all. */
export const hiddenFrom = (relation: Relation, target: string): boolean =>
  !FINDS[relation][ownerOf(target)]
