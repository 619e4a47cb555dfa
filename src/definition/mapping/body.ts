/** A request body under construction: values at paths, each set once. */
import type { Json } from '../json.ts'
import { WriteRejection } from '../steps.ts'
import { isObject } from '../value.ts'
import type { JsonObject } from './rule.ts'

// A map, so that a name of the app's record such as `__proto__` is only a key.
type Tree = Map<string, Json | Tree>

const toJson = (tree: Tree): JsonObject =>
  Object.fromEntries(
    [...tree].map(([name, value]) => [name, value instanceof Map ? toJson(value) : value]),
  )

/** A request body, or a nested object of one. */
export interface Body {
  /** Sets the value at a path. @returns false if the path already has another value */
  put(path: string, value: Json): boolean
  /** Adds fields under the app's own names. @throws WriteRejection if a unified field has set one */
  addRemoteFields(remoteFields: JsonObject): void
  toJson(): JsonObject
}

const addAll = (tree: Tree, fields: JsonObject, place: string): void => {
  for (const [name, value] of Object.entries(fields)) {
    const present = tree.get(name)
    if (present === undefined) tree.set(name, value)
    else if (present instanceof Map && isObject(value)) addAll(present, value, `${place}.${name}`)
    else
      throw new WriteRejection(
        'A unified field of this write already sets this value; leave one of them out.',
        `${place}.${name}`,
      )
  }
}

/** Creates an empty body. */
export const createBody = (): Body => {
  const root: Tree = new Map()
  return {
    put: (path, value) => {
      const steps = path.split('.')
      const last = steps.pop() ?? ''
      let tree = root
      for (const step of steps) {
        const below = tree.get(step) ?? new Map()
        if (!(below instanceof Map)) return false
        tree.set(step, below)
        tree = below
      }
      const present = tree.get(last)
      if (present !== undefined)
        return !(present instanceof Map) && JSON.stringify(present) === JSON.stringify(value)
      tree.set(last, value)
      return true
    },
    addRemoteFields: (remoteFields) => addAll(root, remoteFields, 'remoteFields'),
    toJson: () => toJson(root),
  }
}
