/** The inputs of Vendure's mutations: unified fields, and fields under Vendure's own names. */
import { type Json, type Steps, WriteRejection } from '../../definition/connector.ts'
import type { WriteVerb } from '../../definition/mapping/rule.ts'
import { buildBody } from '../../definition/mapping/write.ts'
import type { Mapping } from '../../definition/mapping.ts'

type Input = { readonly [name: string]: Json }

/** The unified fields of a write under Vendure's names. @throws WriteRejection */
export const inputOf = (mapping: Mapping, fields: Input, verb: WriteVerb): Steps<Input> =>
  buildBody(mapping, { fields, remoteFields: {} }, { app: 'Vendure', verb })

/**
 * Adds the remote fields to an input of Vendure, unchanged; Vendure rejects unknown names. `reserved` are the
 * fields that the request sets later.
 * @throws WriteRejection if a remote field is also set by a unified field or the request
 */
export const withRemoteFields = (
  input: Input,
  remoteFields: Input,
  reserved: readonly string[] = [],
): Input => {
  const clash = Object.keys(remoteFields).find((name) => name in input || reserved.includes(name))
  if (clash !== undefined)
    throw new WriteRejection(
      'a unified field or the connector already sets this field',
      `remoteFields.${clash}`,
    )
  return { ...remoteFields, ...input }
}

/** @throws WriteRejection if a remote field is not among the writable ones */
export const expectOnly = (remoteFields: Input, names: readonly string[]): void => {
  const unknown = Object.keys(remoteFields).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new WriteRejection(
      `this field is not writable; the writable remote fields are ${names.join(', ')}`,
      `remoteFields.${unknown}`,
    )
}
