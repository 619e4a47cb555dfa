/** The inverse of a mapping: builds request bodies for the sandbox from unified fields. */
import { type Json, type Steps, type WriteInput, WriteRefusal } from '../../definition/connector.ts'
import type { Fields } from '../../definition/field.ts'
import { type Conversion, convert, type RecordDraft, same } from './conversion.ts'

/** Rule that writes one unified field. */
export interface WriteRule {
  /** Names of the sandbox's fields that the rule sets. */
  readonly to: readonly string[]
  /** Writable fields inside the value. Default: all. */
  readonly nested?: readonly string[]
  /** Writable on create only. */
  readonly once?: true
  /** Puts the sandbox's values into the draft. @throws WriteRefusal */
  apply?(value: Json, path: string, draft: RecordDraft): void
  /** Like `apply`, with requests to the sandbox before. */
  applySteps?(value: Json, path: string, draft: RecordDraft): Steps<void>
}

/** Write rules by unified field: the sandbox's field name, or a rule. Other fields are not writable. */
export type Inverse = Readonly<Record<string, string | WriteRule>>

/** Rule that converts the value and writes it to one field. */
export const as = (name: string, conversion: Conversion): WriteRule => ({
  to: [name],
  ...(conversion.nested && { nested: conversion.nested }),
  apply: (value, path, draft) => draft.put(name, convert(conversion, value, path, draft), path),
})

/** Like `as`, but writable on create only. */
export const once = (name: string, conversion: Conversion = same): WriteRule => ({
  ...as(name, conversion),
  once: true,
})

const ruleOf = (rule: string | WriteRule): WriteRule =>
  typeof rule === 'string' ? as(rule, same) : rule

/** The writable unified fields: `addresses`, or `lineItems.quantity` if a value is only partly writable. */
export const writableFields = (
  inverse: Inverse,
  fields: Fields,
  isNew: boolean,
): readonly string[] =>
  Object.entries(inverse).flatMap(([name, entry]) => {
    const { nested, once } = ruleOf(entry)
    if (once && !isNew) return []
    const inside = fields[name]?.kind.shape?.fields ?? {}
    return nested === undefined || Object.keys(inside).every((part) => nested.includes(part))
      ? [name]
      : nested.map((part) => `${name}.${part}`)
  })

/** The unified field for each of the sandbox's field names; the first, if several fit. */
export const fieldNames = (inverse: Inverse): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(inverse)
      .flatMap(([unified, entry]) => ruleOf(entry).to.map((name) => [name, unified]))
      .toReversed(),
  )

const isSame = (a: Json | undefined, b: Json): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Builds the body of a create or update request. @throws WriteRefusal */
export function* buildBody(
  inverse: Inverse,
  { fields, remoteFields }: WriteInput,
  stored?: RecordDraft['stored'],
): Steps<Readonly<Record<string, Json>>> {
  const body = new Map<string, Json>()
  const draft: RecordDraft = {
    fields,
    stored,
    put: (name, value, path) => {
      if (body.has(name) && !isSame(body.get(name), value))
        throw new WriteRefusal(
          'The sandbox has one value for the whole record here; pass the same value everywhere.',
          path,
        )
      body.set(name, value)
    },
  }
  for (const [name, value] of Object.entries(fields)) {
    const { [name]: entry } = inverse
    if (entry === undefined)
      throw new WriteRefusal('The sandbox does not support this field.', name)
    const { apply, applySteps } = ruleOf(entry)
    apply?.(value, name, draft)
    if (applySteps) yield* applySteps(value, name, draft)
  }
  for (const [name, value] of Object.entries(remoteFields)) {
    if (body.has(name))
      throw new WriteRefusal('A unified field sets this already.', `remoteFields.${name}`)
    body.set(name, value)
  }
  return Object.fromEntries(body)
}
