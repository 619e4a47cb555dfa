/** Query parameters and cursors of the sandbox's lists. */
import { z } from 'zod'
import type { SandboxPage } from '../store/sandbox/sandbox-records.ts'
import { FieldError } from './errors.ts'
import { isId } from './kinds/kind.ts'

/** Position after which a page starts; opaque to clients. */
type Cursor = NonNullable<SandboxPage['after']>

/** Cursor of a record: the next page starts after it. */
export const cursorOf = ({ modified, id }: Cursor): string =>
  Buffer.from(`${modified} ${id}`).toString('base64url')

const cursor = z
  .string()
  .transform((text) => Buffer.from(text, 'base64url').toString().split(' '))
  .pipe(z.tuple([z.iso.datetime(), z.string().refine(isId)]))
  .transform(([modified, id]): Cursor => ({ modified, id }))

const parameters = z.object({
  modified_since: z.iso
    .datetime({ offset: true })
    .transform((time) => new Date(time).toISOString())
    .optional(),
  after: cursor.optional(),
  limit: z
    .string()
    .regex(/^\d{1,3}$/)
    .transform(Number)
    .pipe(z.number().min(1).max(250))
    .default(100),
})

/** Reads the query parameters of a list. @throws FieldError naming the parameter */
export const readListing = (query: URLSearchParams): SandboxPage => {
  const { data, error } = parameters.safeParse(Object.fromEntries(query))
  if (error) throw new FieldError('invalid', String(error.issues[0]?.path[0]))
  return { since: data.modified_since, after: data.after, limit: data.limit }
}
