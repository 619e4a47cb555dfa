/** The colors that follow from the integrator's own, so that everything stays legible. */

/** Red, green and blue: 0 to 255. */
type Rgb = readonly [number, number, number]

/** The background of the Connect UI and the color of its icons, as in window.css. */
export const SCHEMES = {
  light: { ground: '#ffffff', text: '#1b2230', accent: '#1f5fd0' },
  dark: { ground: '#171c26', text: '#e8ebf1', accent: '#7fadff' },
} as const

type Scheme = (typeof SCHEMES)[keyof typeof SCHEMES]

// WCAG 2.2, success criterion 1.4.11: icons and the outlines of components
const MIN_CONTRAST = 3

const rgbOf = (color: string): Rgb => {
  const digits = color.slice(1)
  const long = digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits
  const value = Number.parseInt(long, 16)
  return [value >> 16, (value >> 8) & 0xff, value & 0xff]
}

/** @see https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
const luminanceOf = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = rgbOf(color).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Contrast of two colors in hexadecimal digits: 1 to 21. @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export const contrastOf = (one: string, other: string): number => {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** Black or white, whichever has the higher contrast: at least 4.5. */
export const textOn = (color: string): string =>
  contrastOf(color, '#ffffff') >= contrastOf(color, '#000000') ? '#ffffff' : '#000000'

const isVisibleOn = (color: string, { ground }: Scheme): boolean =>
  contrastOf(color, ground) >= MIN_CONTRAST

const inBothSchemes = (choose: (scheme: Scheme) => string): string =>
  `light-dark(${choose(SCHEMES.light)}, ${choose(SCHEMES.dark)})`

/**
 * The custom properties of window.css for a color. Where its contrast is too low, icons have the default color, and
 * filled buttons have an edge in the color of the text.
 */
export const paletteOf = (color: string): Readonly<Record<string, string>> => ({
  '--accent': inBothSchemes((scheme) => (isVisibleOn(color, scheme) ? color : scheme.accent)),
  '--fill': color,
  '--on-fill': textOn(color),
  '--fill-edge': inBothSchemes((scheme) => (isVisibleOn(color, scheme) ? color : scheme.text)),
})
