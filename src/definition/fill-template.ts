/** Fills the templates of a connector with the values of a credential. */
import type { CredentialValues, Template } from './auth.ts'

const PLACEHOLDER = /\{([A-Za-z0-9]{1,64})\}/g

/** A template names a value that the credential does not have, or one that has no place in a URL. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'

  /** @param valueName the name of the value; its content may be a secret */
  constructor(valueName: string) {
    super(`The credential has no usable value ${valueName}.`)
  }
}

/** The names of the values in a template. */
export const namesIn = (template: Template): readonly string[] =>
  [...template.matchAll(PLACEHOLDER)].flatMap(([, name]) => name ?? [])

/** Whether every brace of a template belongs to the name of a value. */
export const isWellFormed = (template: Template): boolean =>
  !/[{}]/.test(template.replaceAll(PLACEHOLDER, ''))

const fill = (
  template: Template,
  values: CredentialValues,
  write: (value: string, offset: number, name: string) => string,
): string =>
  template.replaceAll(PLACEHOLDER, (_match, name: string, offset: number) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined) throw new TemplateError(name)
    return write(value, offset, name)
  })

/** Inserts values as they are, for a header or a parameter. @throws TemplateError */
export const fillText = (template: Template, values: CredentialValues): string =>
  fill(template, values, (value) => value)

// The URL parser resolves these segments, encoded or not, so they would change the path.
const isRelativeSegment = (value: string): boolean => /^\.{0,2}$/.test(value)

/**
 * Inserts values into a URL. A value at its start is an address and is inserted as it is; any other stands for a
 * part and is encoded.
 * @throws TemplateError
 */
export const fillUrl = (template: Template, values: CredentialValues): string =>
  fill(template, values, (value, offset, name) => {
    if (offset === 0) return value
    if (isRelativeSegment(value)) throw new TemplateError(name)
    return encodeURIComponent(value)
  })
