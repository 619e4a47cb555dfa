/** Fields by Vendure's own names, beside the unified ones of a write. */
import { type Json, WriteRefusal } from '../../definition/connector.ts'

type Input = { readonly [name: string]: Json }

/**
 * An input of Vendure's: what the unified fields make of it, and the remote fields as they are. What it
 * has no field for, Vendure refuses by name. `own` are the fields that the request itself sets later.
 * @throws WriteRefusal if a remote field is set by something else as well
 */
export const withRemoteFields = (
  input: Input,
  remoteFields: Input,
  own: readonly string[] = [],
): Input => {
  const twice = Object.keys(remoteFields).find((name) => name in input || own.includes(name))
  if (twice !== undefined) throw new WriteRefusal('it is set already', `remoteFields.${twice}`)
  return { ...remoteFields, ...input }
}

/** @throws WriteRefusal if a remote field is none of those that can be written */
export const expectOnly = (remoteFields: Input, names: readonly string[]): void => {
  const other = Object.keys(remoteFields).find((name) => !names.includes(name))
  if (other !== undefined)
    throw new WriteRefusal(
      `it cannot be written; of its own fields, Vendure takes ${names.join(', ')}`,
      `remoteFields.${other}`,
    )
}
