/** Reads the parts of valid JSON text as text, without parsing the values. */
import { endOfString } from '../definition/json-depth.ts'

const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN_LIST = 91
const CLOSE_LIST = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125
const SPACE = 32

/** The error for text that is not the expected JSON. */
export const unexpectedText = (text: string, at: number): RangeError =>
  new RangeError(`Unexpected JSON at ${at} of ${text.length} characters.`)

/** The position of the closing quote of the string that starts at `start`. */
const closingQuote = (text: string, start: number): number => {
  const end = endOfString(text, start)
  if (end === text.length) throw unexpectedText(text, start)
  return end
}

/** The position after the value that starts at `start` and is followed by a comma or the end of its parent. */
export const endOfValue = (text: string, start: number): number => {
  if (text.charCodeAt(start) === QUOTE) return closingQuote(text, start) + 1
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) at = closingQuote(text, at)
    else if (character === OPEN_OBJECT || character === OPEN_LIST) depth++
    else if (character === CLOSE_OBJECT || character === CLOSE_LIST) {
      if (depth === 0) return at
      depth--
    } else if (depth === 0 && character === COMMA) return at
  }
  throw unexpectedText(text, start)
}

/** A place in JSON text. What reads a value there moves it to the end of the value. */
export interface JsonReader {
  readonly text: string
  at: number
}

/** Reads a value as its text. */
export const readValue = (reader: JsonReader): string => {
  const { text, at } = reader
  reader.at = endOfValue(text, at)
  return text.slice(at, reader.at)
}

/** Whether the value is null. */
export const isNull = ({ text, at }: JsonReader): boolean => text.startsWith('null', at)

/** Skips the spaces that PostgreSQL writes after commas and colons. */
const skipSpaces = (reader: JsonReader): void => {
  while (reader.text.charCodeAt(reader.at) === SPACE) reader.at++
}

const enter = (reader: JsonReader, opening: number): void => {
  if (reader.text.charCodeAt(reader.at) !== opening) throw unexpectedText(reader.text, reader.at)
  reader.at++
}

/** Moves to the next entry or member, or past the end of its list or object. @returns whether there is one */
const moveToNext = (reader: JsonReader, closing: number): boolean => {
  const character = reader.text.charCodeAt(reader.at)
  if (character === COMMA) {
    reader.at++
    skipSpaces(reader)
  }
  if (character === closing) reader.at++
  return character !== closing
}

/** Reads a list: `read` reads each entry. @throws RangeError if the value is not a list */
export const readEntries = (reader: JsonReader, read: () => void): void => {
  enter(reader, OPEN_LIST)
  while (moveToNext(reader, CLOSE_LIST)) read()
}

/** A name of a member as the text has it, with quotation marks and colon. */
interface NameText<Key> {
  readonly text: string
  readonly key: Key
}

/** The number of members of an object whose order is remembered. */
const MAX_REMEMBERED = 64

/**
 * Creates a function that reads objects: `read` reads the value of each member, and receives the key of its name;
 * undefined for a name without a key. Names with a key need no escapes.
 */
export const createObjectReader = <Key>(keys: ReadonlyMap<string, Key>) => {
  const names = new Map(
    [...keys].map(([name, key]): [string, NameText<Key>] => [name, { text: `"${name}":`, key }]),
  )
  // The objects of a list mostly have the same members in the same order: their names are compared, not searched.
  const remembered: NameText<Key>[] = []
  const readName = (reader: JsonReader, position: number): Key | undefined => {
    const { text, at } = reader
    let name = remembered[position]
    if (name !== undefined && text.startsWith(name.text, at)) reader.at += name.text.length
    else {
      const end = closingQuote(text, at)
      if (text.charCodeAt(end + 1) !== COLON) throw unexpectedText(text, end)
      reader.at = end + 2
      name = names.get(text.slice(at + 1, end))
      if (name && position < MAX_REMEMBERED) remembered[position] = name
    }
    skipSpaces(reader)
    return name?.key
  }
  /** @throws RangeError if the value is not an object */
  return (reader: JsonReader, read: (key: Key | undefined) => void): void => {
    enter(reader, OPEN_OBJECT)
    for (let position = 0; moveToNext(reader, CLOSE_OBJECT); position++)
      read(readName(reader, position))
  }
}
