/** First and last names for an app that stores one full name. */
import { matchesJson } from '../matching.ts'
import { WriteRejection } from '../steps.ts'
import { readPath } from './read.ts'
import type { Converter } from './rule.ts'

/** Splits a full name at its last space; a single word is the last name. */
const splitName = (fullName: unknown) => {
  const words = String(fullName ?? '')
    .trim()
    .split(' ')
  const lastName = words.pop() || null
  return { firstName: words.join(' ').trimEnd() || null, lastName }
}

const partOf = (from: string, part: 'firstName' | 'lastName'): Converter => ({
  from,
  read: (fullName) => splitName(fullName)[part],
  apply: (_, { app, input, path, present, put }) => {
    const before = splitName(readPath(from)(present))
    const { firstName = before.firstName, lastName = before.lastName } = input
    const fullName = [firstName, lastName].filter(Boolean).join(' ')
    const read = splitName(fullName)
    // Otherwise the next change of one part would corrupt the other.
    if (!matchesJson(read, { firstName, lastName }))
      throw new WriteRejection(
        `${app} stores one full name, whose last word is the last name; send ${JSON.stringify(read)}`,
        `${path.slice(0, -part.length)}${read.lastName === lastName ? 'firstName' : 'lastName'}`,
      )
    put(from, fullName, path)
    return undefined
  },
})

/**
 * The rules of `firstName` and `lastName`. A write rejects names that would be read differently: a last name of several
 * words, or a first name alone.
 * @param from the path of the full name
 */
export const fullName = (from: string) => ({
  firstName: partOf(from, 'firstName'),
  lastName: partOf(from, 'lastName'),
})
