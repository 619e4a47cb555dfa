/** The initials and the color that identify an app. They follow from its name. */

// White text has a contrast of at least 4.5 on each.
export const TILE_COLORS = [
  '#1f5fd0',
  '#6b3fb8',
  '#a12d78',
  '#b3261e',
  '#934800',
  '#586200',
  '#1a7046',
  '#0b6878',
] as const

/** The initials of the first two words of a name: `QuickBooks Online` has QO, `Vendure` V. */
export const initialsOf = (name: string): string =>
  (name.match(/[\p{L}\p{N}]+/gu) ?? ['?'])
    .slice(0, 2)
    .map((word) => Array.from(word)[0] ?? '')
    .join('')
    .toUpperCase()

/** The color of an app's tile, which follows from its name. */
export const tileColorOf = (name: string): string => {
  const sum = Array.from(name).reduce(
    (hash, character) => (hash * 31 + (character.codePointAt(0) ?? 0)) % 65_521,
    7,
  )
  return TILE_COLORS[sum % TILE_COLORS.length] ?? TILE_COLORS[0]
}
