/**
 * The maximum nesting of JSON input. Bounded, because code that walks it, such as JSON.stringify, is
 * recursive.
 */

/** Levels of arrays and objects, including the outermost. */
export const MAX_JSON_LEVELS = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The index of the closing quote of the JSON string that begins at `start`; the length of a text without one. */
export const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return end
  }
  return text.length
}

/**
 * Whether a JSON text is nested deeper than MAX_JSON_LEVELS. It scans the text once without parsing it, at a
 * fraction of the cost of parsing. The result is meaningless for text that is not JSON.
 */
export const isNestedTooDeep = (text: string): boolean => {
  let levels = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    // Matches [ and {, then ] and }: no other character differs from a bracket in this bit alone.
    else if ((code | 0x20) === 0x7b) {
      levels += 1
      if (levels > MAX_JSON_LEVELS) return true
    } else if ((code | 0x20) === 0x7d) levels -= 1
  }
  return false
}
