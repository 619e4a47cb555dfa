/** How the values of a credential authenticate a request, by the declarations of its method. */
import type { AuthMethod, AuthMethods, CredentialValues, Template } from './auth.ts'
import { fillText, fillUrl, namesIn } from './fill-template.ts'

/** The name of the first method of an app, which is offered first. */
export const firstMethodName = (auth: AuthMethods): string => Object.keys(auth)[0] ?? ''

/** A method by its name; null: the first one. Undefined if the app has no such method. */
export const methodOf = (auth: AuthMethods, name: string | null): AuthMethod | undefined =>
  Object.hasOwn(auth, name ?? firstMethodName(auth))
    ? auth[name ?? firstMethodName(auth)]
    : undefined

/** The values that the app itself returned, by the declarations of an OAuth method. */
const returnedNames = (method: AuthMethod): readonly string[] =>
  method.type === 'oauth2'
    ? [
        ...Object.keys(method.callbackValues ?? {}),
        ...Object.keys(method.tokenValues ?? {}),
        ...(method.accounts?.valueNames ?? []),
      ]
    : []

/** The names of all values that a credential of this method may have. */
export const valueNames = (method: AuthMethod): readonly string[] => [
  ...Object.keys(method.fields),
  ...returnedNames(method),
  ...(method.type === 'apiKey' ? [] : ['accessToken']),
]

/** The names of the values that a credential of every method has. */
export const commonValueNames = (auth: AuthMethods): readonly string[] => {
  const [first = [], ...others] = Object.values(auth).map(valueNames)
  return first.filter((name) => others.every((names) => names.includes(name)))
}

/** Whether a value must not appear in errors and logs: all but those that are declared to be public. */
export const isSecret = (method: AuthMethod, name: string): boolean =>
  method.fields[name]?.secret ?? !returnedNames(method).includes(name)

/** The values as the templates use them: each field's own normal form, without empty optional ones. */
export const normalize = (method: AuthMethod, values: CredentialValues): CredentialValues =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const field = method.fields[name]
      if (field?.optional && value === '') return []
      return [[name, field?.normalize?.(value) ?? value]]
    }),
  )

/** The base URL of a credential. @throws TemplateError if a value is missing */
export const baseUrlOf = (method: AuthMethod, values: CredentialValues): string =>
  fillUrl(method.baseUrl, normalize(method, values))

/** The headers and query parameters that authenticate a request. */
export interface Authentication {
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** The headers and parameters that contain a secret. */
  readonly secrets: readonly string[]
}

/** @see RFC 7617, section 2: the user name ends at the first colon */
const basicHeader = (user: string, password: string): string => {
  if (user.includes(':')) throw new TypeError('The user name contains a colon.')
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

/**
 * The headers and query parameters of a credential. One whose template names an optional field without a value is
 * left out; in HTTP Basic, the value is empty.
 * @throws TemplateError if a required value is missing
 */
export const authenticate = (method: AuthMethod, values: CredentialValues): Authentication => {
  const { headers = {}, query = {}, basic } = method.request
  const normal = normalize(method, values)
  const isLeftOut = (name: string): boolean =>
    method.fields[name]?.optional === true && normal[name] === undefined
  const secrets: string[] = []
  const fillAll = (templates: Readonly<Record<string, Template>>) =>
    Object.fromEntries(
      Object.entries(templates).flatMap(([key, template]) => {
        const names = namesIn(template)
        if (names.some(isLeftOut)) return []
        const text = fillText(template, normal)
        if (names.some((name) => isSecret(method, name))) secrets.push(text)
        return [[key, text]]
      }),
    )
  const filled = { headers: fillAll(headers), query: fillAll(query) }
  if (!basic) return { ...filled, secrets }
  const withEmpty = {
    ...Object.fromEntries(
      Object.keys(method.fields)
        .filter(isLeftOut)
        .map((name) => [name, '']),
    ),
    ...normal,
  }
  const authorization = basicHeader(
    fillText(basic.user, withEmpty),
    fillText(basic.password, withEmpty),
  )
  return {
    headers: { ...filled.headers, authorization },
    query: filled.query,
    secrets: [...secrets, authorization],
  }
}
