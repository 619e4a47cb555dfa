/** Record identifiers: the service's or the app's. */
import { z } from 'zod'
import { recordId } from '../identity.ts'
import type { JsonSchema } from '../json.ts'
import { textInput } from './input.ts'
import type { Side } from './kind.ts'
import { MAX_INPUT_ID, MAX_INPUT_TEXT } from './limits.ts'

const isIdentifier = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number'

/** The service's id for the app's identifier `value`; undefined if `value` is not an identifier. */
export const idOf = (value: unknown, credentialId: string, target: string): string | undefined =>
  isIdentifier(value) ? recordId(credentialId, target, String(value)) : undefined

/** The input schema of an identifier. */
export const idInput = z
  .preprocess(
    (value) => (typeof value === 'number' ? String(value) : value),
    textInput(MAX_INPUT_TEXT),
  )
  .refine((id) => id !== '' && id.length <= MAX_INPUT_ID, { error: 'an identifier' })

/** The JSON schema of an identifier. Input may be any text, because app ids have no fixed form. */
export const idSchema = (side: Side): JsonSchema =>
  side === 'input'
    ? { type: 'string', minLength: 1, maxLength: MAX_INPUT_ID }
    : { type: 'string', format: 'uuid' }
