/** Reads the parts of valid JSON text as text, without parsing the values. */

const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN_LIST = 91
const BACKSLASH = 92
const CLOSE_LIST = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125
const SPACE = 32

/** The error for text that is not the expected JSON. */
export const unexpectedText = (text: string, at: number): RangeError =>
  new RangeError(`Unexpected JSON at ${at} of ${text.length} characters.`)

/** The position of the quotation mark that ends the string which starts at `start`. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = end
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes--
    if ((end - escapes) % 2 === 0) return end
  }
  throw unexpectedText(text, start)
}

/** The position after the value that starts at `start` and is followed by a comma or the end of its parent. */
export const endOfValue = (text: string, start: number): number => {
  if (text.charCodeAt(start) === QUOTE) return endOfString(text, start) + 1
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) at = endOfString(text, at)
    else if (character === OPEN_OBJECT || character === OPEN_LIST) depth++
    else if (character === CLOSE_OBJECT || character === CLOSE_LIST) {
      if (depth === 0) return at
      depth--
    } else if (depth === 0 && character === COMMA) return at
  }
  throw unexpectedText(text, start)
}

/** Skips the spaces that PostgreSQL writes after commas and colons. */
const skipSpaces = (text: string, from: number): number => {
  let at = from
  while (text.charCodeAt(at) === SPACE) at++
  return at
}

/** The text of each entry of a list. @throws RangeError if the text is not a list */
export const listEntries = (text: string): readonly string[] => {
  if (text.charCodeAt(0) !== OPEN_LIST) throw unexpectedText(text, 0)
  const entries: string[] = []
  let at = skipSpaces(text, 1)
  while (text.charCodeAt(at) !== CLOSE_LIST) {
    const end = endOfValue(text, at)
    entries.push(text.slice(at, end))
    at = text.charCodeAt(end) === COMMA ? skipSpaces(text, end + 1) : end
  }
  return entries
}

/**
 * The texts of an object's values, at the index that `indexes` has for their names; undefined for a name that
 * the object does not have. Names in `indexes` need no escapes.
 * @throws RangeError if the text is not an object
 */
export const objectValues = (
  text: string,
  indexes: ReadonlyMap<string, number>,
): readonly (string | undefined)[] => {
  if (text.charCodeAt(0) !== OPEN_OBJECT) throw unexpectedText(text, 0)
  const values = new Array<string | undefined>(indexes.size)
  let at = skipSpaces(text, 1)
  while (text.charCodeAt(at) !== CLOSE_OBJECT) {
    const nameEnd = endOfString(text, at)
    if (text.charCodeAt(nameEnd + 1) !== COLON) throw unexpectedText(text, nameEnd)
    const start = skipSpaces(text, nameEnd + 2)
    const end = endOfValue(text, start)
    const index = indexes.get(text.slice(at + 1, nameEnd))
    if (index !== undefined) values[index] = text.slice(start, end)
    at = text.charCodeAt(end) === COMMA ? skipSpaces(text, end + 1) : end
  }
  return values
}
