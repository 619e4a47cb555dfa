/** Checks the declarations of how a connector authenticates. */
import type { AuthMethod, AuthMethods, Template } from './auth.ts'
import { isSecret, valueNames } from './authenticate.ts'
import { isWellFormed, namesIn } from './fill-template.ts'
import { nearest } from './nearest.ts'

const NAME = /^[a-z][A-Za-z0-9]*$/

interface PlacedTemplate {
  readonly place: string
  readonly template: Template
  /** The values that exist when the template is filled. */
  readonly known: readonly string[]
  readonly isUrl: boolean
}

const placed = (
  templates: Readonly<Record<string, Template | undefined>>,
  known: readonly string[],
  isUrl: boolean,
): readonly PlacedTemplate[] =>
  Object.entries(templates).flatMap(([place, template]) =>
    template === undefined ? [] : [{ place, template, known, isUrl }],
  )

const requestTemplates = ({ headers, query, basic }: AuthMethod['request']) => ({
  ...headers,
  ...query,
  ...(basic && { user: basic.user, password: basic.password }),
})

const templatesOf = (method: AuthMethod): readonly PlacedTemplate[] => {
  const all = valueNames(method)
  const fields = Object.keys(method.fields)
  const common = [
    ...placed({ baseUrl: method.baseUrl }, all, true),
    ...placed(requestTemplates(method.request), all, false),
  ]
  if (method.type === 'clientCredentials')
    return [
      ...common,
      ...placed({ tokenUrl: method.tokenUrl }, fields, true),
      ...placed(
        { 'client.id': method.client.id, 'client.secret': method.client.secret },
        fields,
        false,
      ),
    ]
  if (method.type !== 'oauth2') return common
  const { authorizationUrl, issuer, tokenUrl, revocationUrl, accounts } = method
  const fromCallback = [...fields, ...Object.keys(method.callbackValues ?? {})]
  return [
    ...common,
    ...placed({ authorizationUrl, issuer }, fields, true),
    ...placed({ tokenUrl }, fromCallback, true),
    ...placed({ revocationUrl }, all, true),
    ...placed({ 'accounts.baseUrl': accounts?.baseUrl }, all, true),
  ]
}

const checkMethod = (method: AuthMethod, fail: (problem: string) => never): void => {
  const names = valueNames(method)
  for (const name of names)
    if (!NAME.test(name)) fail(`the value ${name} has a name that is not in camel case`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) fail(`the value ${twice} is declared twice`)
  for (const { place, template, known, isUrl } of templatesOf(method)) {
    if (!isWellFormed(template)) fail(`${place} has a brace that belongs to no name`)
    for (const name of namesIn(template)) {
      if (!known.includes(name)) {
        const similar = nearest(name, known)
        const advice = similar === undefined ? '' : ` Did you mean {${similar}}?`
        fail(`${place} contains {${name}}, which has no value there.${advice}`)
      }
      // Addresses appear in errors and logs.
      if (isUrl && isSecret(method, name)) fail(`${place} contains the secret {${name}}`)
    }
  }
  if (method.type !== 'apiKey') {
    const templates = Object.values(requestTemplates(method.request))
    if (!templates.some((template) => namesIn(template).includes('accessToken')))
      fail('its requests do not contain {accessToken}')
  }
}

/** @throws TypeError naming the app, the method and what is wrong */
export const checkAuth = (app: string, auth: AuthMethods): void => {
  if (Object.keys(auth).length === 0)
    throw new TypeError(`The connector ${app} declares no way to connect the app.`)
  for (const [name, method] of Object.entries(auth)) {
    const fail = (problem: string): never => {
      throw new TypeError(`The connector ${app}, method ${name}: ${problem}`)
    }
    if (!NAME.test(name)) fail('its name is not in camel case')
    checkMethod(method, fail)
  }
}
