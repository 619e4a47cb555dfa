/** Finds the members of a stored record's JSON text without parsing it: a page is mostly copied, not read. */

import { endOfValue, unexpectedText } from './json-text.ts'

/** A member of the JSON object, in the order of the text. */
export interface Member {
  readonly name: string
  /** Whether the value may be an object or a list, which can contain the names of other members. */
  readonly isNested: boolean
}

/** Returns the position of each requested member's name in the text, by the member's index. @throws RangeError */
export type FindMembers = (text: string) => readonly number[]

/** Finds the position of a member from that of an earlier one. */
type Step = (text: string, places: number[]) => void

/**
 * Creates a function that finds the members with these indexes; the index after the last member is the end of
 * the text. The text has no whitespace between its members, as all stored records.
 */
export const createMemberFinder = (
  members: readonly Member[],
  wanted: ReadonlySet<number>,
): FindMembers => {
  const keyOf = (index: number): string => `,"${members[index]?.name}":`

  // A string cannot contain `,"name":`, because its quotation marks are escaped. Only nested values can.
  const search = (from: number, to: number): Step => {
    const key = keyOf(to)
    return (text, places) => {
      const at = text.indexOf(key, places[from])
      if (at === -1) throw unexpectedText(text, places[from] ?? 0)
      places[to] = at + 1
    }
  }
  const searchFromEnd = (to: number): Step => {
    const key = keyOf(to)
    return (text, places) => {
      const at = text.lastIndexOf(key)
      if (at === -1) throw unexpectedText(text, text.length)
      places[to] = at + 1
    }
  }
  /** From a member with a nested value to the next member. */
  const skipNested = (from: number): Step => {
    const nameLength = keyOf(from).length - 1
    const key = keyOf(from + 1)
    return (text, places) => {
      const at = endOfValue(text, (places[from] ?? 0) + nameLength)
      if (!text.startsWith(key, at)) throw unexpectedText(text, at)
      places[from + 1] = at + 1
    }
  }

  const afterNested = members.findLastIndex(({ isNested }) => isNested) + 1
  const steps: Step[] = []
  let from = 0
  for (const to of [...wanted].sort((a, b) => a - b)) {
    if (to === 0 || to === members.length) continue
    const nested = members.findIndex(({ isNested }, index) => isNested && index >= from)
    const crossesNested = nested !== -1 && nested < to
    if (crossesNested && to >= afterNested) steps.push(searchFromEnd(to))
    else {
      for (let index = from; index < to; ) {
        const next = members.findIndex((member, other) => member.isNested && other >= index)
        const stop = next === -1 || next > to ? to : next
        if (stop > index) steps.push(search(index, stop))
        if (stop < to) steps.push(skipNested(stop))
        index = stop < to ? stop + 1 : to
      }
    }
    from = to
  }
  return (text) => {
    const places = new Array<number>(members.length + 1)
    places[0] = 1
    places[members.length] = text.length
    for (const step of steps) step(text, places)
    return places
  }
}
