/** The marks of apps: their initials on a colored tile. No app's own logo is shown. */

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

const SVG = 'http://www.w3.org/2000/svg'

const svgElement = (tag: string, attributes: Readonly<Record<string, string | number>>) => {
  const created = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, String(value))
  return created
}

/** Creates the mark of an app. It is hidden from screen readers, because the name is next to it. */
export const createMark = (name: string): SVGElement => {
  const initials = initialsOf(name)
  const mark = svgElement('svg', { viewBox: '0 0 40 40', class: 'mark', 'aria-hidden': 'true' })
  const text = svgElement('text', {
    x: 20,
    y: 20,
    fill: '#ffffff',
    'font-size': initials.length > 1 ? 16 : 20,
    'font-weight': 600,
    'text-anchor': 'middle',
    'dominant-baseline': 'central',
  })
  text.textContent = initials
  mark.append(svgElement('rect', { width: 40, height: 40, rx: 9, fill: tileColorOf(name) }), text)
  return mark
}
