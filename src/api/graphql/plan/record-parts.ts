/** Writes a record in the response from its stored JSON text: most of the text is copied unparsed. */
import { documentColumns } from '../../../definition/column.ts'
import { createMemberFinder, type Member } from '../../../query/record-members.ts'
import { type Level, textFields, type WriteRecord } from './level.ts'
import { NotPlannedError } from './not-planned.ts'
import type { WriteValue } from './value.ts'

/** A part of the response: constant text, a stored member, or what is written from the row. */
export type Part =
  | { readonly kind: 'constant'; readonly text: string }
  /** Copied with its name. */
  | { readonly kind: 'member'; readonly name: string }
  | {
      readonly kind: 'value'
      readonly key: string
      readonly name: string
      readonly convert: WriteValue | undefined
    }
  | { readonly kind: 'row'; readonly key: string; readonly write: WriteRecord }

/** A part whose members have their indexes in the text; members that follow each other are copied together. */
type PlacedPart =
  | Exclude<Part, { readonly kind: 'member' | 'value' }>
  | { readonly kind: 'members'; readonly from: number; readonly to: number }
  | {
      readonly kind: 'value'
      readonly key: string
      readonly at: number
      /** The length of the stored name with its quotation marks and colon. */
      readonly nameLength: number
      readonly convert: WriteValue | undefined
    }

/** The members of the text of a level's records. */
const membersOf = (level: Level): readonly Member[] => {
  const stored = documentColumns(level.resource)
  const fields = textFields(level) ?? stored.map(({ field }) => field)
  const columns = [...fields].flatMap((name) => stored.filter(({ field }) => field === name))
  return [
    { name: 'id', isNested: false },
    ...columns.map(({ field, sqlType }) => ({
      name: field,
      isNested: sqlType === 'jsonb' || sqlType.endsWith('[]'),
    })),
  ]
}

const placeParts = (parts: readonly Part[], members: readonly Member[]): readonly PlacedPart[] => {
  const indexes = new Map(members.map(({ name }, index) => [name, index]))
  const indexOf = (name: string): number => {
    const at = indexes.get(name)
    if (at === undefined) throw new NotPlannedError()
    return at
  }
  const placed: PlacedPart[] = []
  for (const part of parts) {
    const last = placed.at(-1)
    if (part.kind === 'member') {
      const at = indexOf(part.name)
      if (last?.kind === 'members' && last.to + 1 === at)
        placed[placed.length - 1] = { ...last, to: at }
      else placed.push({ kind: 'members', from: at, to: at })
    } else if (part.kind === 'value') {
      const { name, ...rest } = part
      placed.push({ ...rest, at: indexOf(name), nameLength: name.length + 3 })
    } else placed.push(part)
  }
  return placed
}

/** The members whose positions the parts need. */
const positionsOf = (parts: readonly PlacedPart[]): ReadonlySet<number> =>
  new Set(
    parts.flatMap((part) => {
      if (part.kind === 'members') return [part.from, part.to + 1]
      return part.kind === 'value' ? [part.at, part.at + 1] : []
    }),
  )

/** Whether the parts are all members of the text, in its order. */
const areWhole = (parts: readonly PlacedPart[], members: readonly Member[]): boolean => {
  const [part] = parts
  const isAlone = parts.length === 1 && part?.kind === 'members'
  return isAlone && part.from === 0 && part.to === members.length - 1
}

/** A record's parts at their places in its text. */
export interface PlacedRecord {
  readonly write: WriteRecord
  /** Whether `write` returns the text as it is. */
  readonly isCopied: boolean
}

/** Places the parts of a level's records. Called after all selections of the level are planned. */
export const placeRecord = (level: Level, planned: readonly Part[]): PlacedRecord => {
  const members = membersOf(level)
  const parts = placeParts(planned, members)
  if (areWhole(parts, members)) return { isCopied: true, write: ({ text }) => text }
  const find = createMemberFinder(members, positionsOf(parts))
  const write: WriteRecord = (row, source) => {
    const { text: document } = row
    const places = find(document)
    /** The position of a member's name; the text between two members is a comma. */
    const place = (index: number): number => places[index] ?? Number.NaN
    let text = '{'
    for (let index = 0; index < parts.length; index++) {
      if (index > 0) text += ','
      const part = parts[index] as PlacedPart
      if (part.kind === 'constant') text += part.text
      else if (part.kind === 'members')
        text += document.slice(place(part.from), place(part.to + 1) - 1)
      else if (part.kind === 'row') text += part.key + part.write(row, source)
      else {
        const from = place(part.at) + part.nameLength
        text += part.key
        text += part.convert
          ? part.convert({ text: document, at: from }, source)
          : document.slice(from, place(part.at + 1) - 1)
      }
    }
    return `${text}}`
  }
  return { isCopied: false, write }
}
