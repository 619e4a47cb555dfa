/** The apps that are connected by OAuth. */
import { connectors } from '../generated/registry.ts'

/** The names of the apps that have a method of type oauth2, in alphabetical order. */
export const listOAuthApps = (): readonly string[] =>
  [...connectors.values()]
    .filter(({ auth }) => Object.values(auth).some(({ type }) => type === 'oauth2'))
    .map(({ app }) => app)
    .toSorted()
