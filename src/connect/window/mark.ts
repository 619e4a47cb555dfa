/** The marks of apps: their initials on a colored tile. No app's own logo is shown. */
import { initialsOf, tileColorOf } from './tile.ts'

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
