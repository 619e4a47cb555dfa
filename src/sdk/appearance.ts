/** How the Connect modal shows the integrator's product. */

export interface Appearance {
  /** Name of the product, which end users read where they allow access to their data. */
  readonly name?: string
  /** Logo of the product: an `https:` URL or a `data:` URL of an image. */
  readonly logoUrl?: string
  /** Color of buttons and marks: `#1f5fd0`, or `#15d` for short. The text on it is black or white. */
  readonly color?: string
}

/** Whether a value is a color in hexadecimal digits. */
export const isColor = (value: unknown): value is string =>
  typeof value === 'string' && /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(value)

/** Whether a value is a URL that the Connect UI may load an image from. */
export const isLogoUrl = (value: unknown): value is string =>
  typeof value === 'string' && /^(?:https:\/\/|data:image\/)/i.test(value)

/** Why an appearance is invalid; undefined if it is valid. */
export const appearanceProblem = ({ logoUrl, color }: Appearance): string | undefined => {
  if (color !== undefined && !isColor(color))
    return 'appearance.color: expected hexadecimal digits, such as #1f5fd0.'
  if (logoUrl !== undefined && !isLogoUrl(logoUrl))
    return 'appearance.logoUrl: expected an https: URL, or a data: URL of an image.'
  return undefined
}
