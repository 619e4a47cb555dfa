/** The look of the Connect UI: colors with enough contrast, and the initials of apps on colored tiles. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contrastOf, paletteOf, SCHEMES, textOn } from '../../src/connect/window/colors.ts'
import { initialsOf, TILE_COLORS, tileColorOf } from '../../src/connect/window/tile.ts'
import { appearanceProblem } from '../../src/sdk/appearance.ts'

const color = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`)

test('contrast is computed as WCAG defines it', () => {
  expect(contrastOf('#000000', '#fff')).toBeCloseTo(21)
  expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  expect(contrastOf('#ff0000', '#f00')).toBe(1)
})

test('text on any color has a contrast of at least 4.5, accents and edges on the background of at least 3', () => {
  fc.assert(
    fc.property(color, (chosen) => {
      const palette = paletteOf(chosen)
      expect(palette['--fill']).toBe(chosen)
      expect(contrastOf(textOn(chosen), chosen)).toBeGreaterThanOrEqual(4.5)
      for (const name of ['--accent', '--fill-edge']) {
        const [, light = '', dark = ''] =
          /^light-dark\((#\w+), (#\w+)\)$/.exec(palette[name] ?? '') ?? []
        expect(contrastOf(light, SCHEMES.light.ground)).toBeGreaterThanOrEqual(3)
        expect(contrastOf(dark, SCHEMES.dark.ground)).toBeGreaterThanOrEqual(3)
      }
    }),
  )
})

test('the chosen color is the accent of each scheme in which it has enough contrast', () => {
  expect(paletteOf('#1f5fd0')['--accent']).toBe(`light-dark(#1f5fd0, ${SCHEMES.dark.accent})`)
  expect(paletteOf('#0a8')['--accent']).toBe(`light-dark(${SCHEMES.light.accent}, #0a8)`)
})

test('the colors of the schemes are those of the stylesheet', () => {
  const css = readFileSync(
    new URL('../../src/connect/window/window.css', import.meta.url),
    'utf8',
  ).replaceAll('#fff,', '#ffffff,')
  for (const name of ['ground', 'text', 'accent'] as const)
    expect(css).toContain(`--${name}: light-dark(${SCHEMES.light[name]}, ${SCHEMES.dark[name]});`)
})

test.each([
  ['Vendure', 'V'],
  ['QuickBooks Online', 'QO'],
  ['medusa 2', 'M2'],
  ['  (ERP) of  Zürich ', 'EO'],
  ['ökonom', 'Ö'],
  ['𝒳-app', '𝒳A'],
  ['!', '?'],
])('the initials of %s are %s', (name, initials) => {
  expect(initialsOf(name)).toBe(initials)
})

test('tiles have white text with enough contrast, and a color that depends on the name', () => {
  for (const tile of TILE_COLORS) expect(contrastOf(tile, '#ffffff')).toBeGreaterThanOrEqual(4.5)
  expect(tileColorOf('Sandbox')).toBe(tileColorOf('Sandbox'))
  const names = Array.from({ length: 100 }, (_, index) => `App ${index}`)
  expect(new Set(names.map(tileColorOf)).size).toBe(TILE_COLORS.length)
})

test.each([
  [{}, undefined],
  [{ name: 'Harbour', color: '#1f5fd0', logoUrl: 'https://example.com/a.svg' }, undefined],
  [{ color: '#15d', logoUrl: 'data:image/png;base64,AAAA' }, undefined],
  [{ color: 'red' }, /^appearance\.color: expected/],
  [{ color: '#12345' }, /^appearance\.color: expected/],
  [{ logoUrl: 'http://example.com/a.svg' }, /^appearance\.logoUrl: expected/],
  [{ logoUrl: 'javascript:alert(1)' }, /^appearance\.logoUrl: expected/],
])('the appearance %j has the problem %s', (appearance, problem) => {
  if (problem) expect(appearanceProblem(appearance)).toMatch(problem)
  else expect(appearanceProblem(appearance)).toBeUndefined()
})
