/** The way back of a mapping: unified fields as the body of a request to the sandbox. */
import { type Json, type Steps, type WriteInput, WriteRefusal } from '../../definition/connector.ts'
import type { Fields } from '../../definition/field.ts'
import { type Conversion, convert, type Draft, same } from './conversion.ts'

/** What becomes of one unified field. */
export interface Rule {
  /** The sandbox's names for what it tells. */
  readonly to: readonly string[]
  /** The names inside of it that are taken; all, if it does not say. */
  readonly nested?: readonly string[]
  /** Given once, when the record is made. */
  readonly once?: true
  /** Puts into the draft what the sandbox is to be told. @throws WriteRefusal */
  tell?(value: Json, path: string, draft: Draft): void
  /** The same, for what the sandbox has to be asked about first. */
  ask?(value: Json, path: string, draft: Draft): Steps<void>
}

/** By unified field: the sandbox's name for it, or a rule. What is not named, the sandbox does not take. */
export type Inverse = Readonly<Record<string, string | Rule>>

/** The field of that name, converted. */
export const as = (name: string, conversion: Conversion): Rule => ({
  to: [name],
  ...(conversion.nested && { nested: conversion.nested }),
  tell: (value, path, draft) => draft.put(name, convert(conversion, value, path, draft), path),
})

/** The field of that name, which cannot be changed later. */
export const once = (name: string, conversion: Conversion = same): Rule => ({
  ...as(name, conversion),
  once: true,
})

const ruleOf = (rule: string | Rule): Rule => (typeof rule === 'string' ? as(rule, same) : rule)

/** The unified fields that are taken: `addresses`, or `lineItems.quantity` where not all of it is. */
export const fieldsTaken = (inverse: Inverse, fields: Fields, isNew: boolean): readonly string[] =>
  Object.entries(inverse).flatMap(([name, entry]) => {
    const { nested, once } = ruleOf(entry)
    if (once && !isNew) return []
    const field = fields[name]
    const inside = field?.kind === 'list' || field?.kind === 'object' ? field.shape.fields : {}
    return nested === undefined || Object.keys(inside).every((part) => nested.includes(part))
      ? [name]
      : nested.map((part) => `${name}.${part}`)
  })

/** The unified field that each of the sandbox's names stands for; the first, if there are two. */
export const fieldNames = (inverse: Inverse): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(inverse)
      .flatMap(([unified, entry]) => ruleOf(entry).to.map((name) => [name, unified]))
      .toReversed(),
  )

const isSame = (a: Json | undefined, b: Json): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The body of a request that makes or changes a record. @throws WriteRefusal */
export function* tellAll(
  inverse: Inverse,
  { fields, remoteFields }: WriteInput,
  stored?: Draft['stored'],
): Steps<Readonly<Record<string, Json>>> {
  const body = new Map<string, Json>()
  const draft: Draft = {
    given: fields,
    stored,
    put: (name, value, path) => {
      if (body.has(name) && !isSame(body.get(name), value))
        throw new WriteRefusal('The sandbox has one value for all of the record here.', path)
      body.set(name, value)
    },
  }
  for (const [name, value] of Object.entries(fields)) {
    const { [name]: entry } = inverse
    if (entry === undefined) throw new WriteRefusal('The sandbox does not take it.', name)
    const { tell, ask } = ruleOf(entry)
    tell?.(value, name, draft)
    if (ask) yield* ask(value, name, draft)
  }
  for (const [name, value] of Object.entries(remoteFields)) {
    if (body.has(name))
      throw new WriteRefusal('A field of the common model says it already.', `remoteFields.${name}`)
    body.set(name, value)
  }
  return Object.fromEntries(body)
}
