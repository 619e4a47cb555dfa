/**
 * Selection of the credentials that an installation uses. A disconnected credential is not replaced until the
 * end user installs again, because another credential may belong to a different company.
 */
import type { Transaction } from '../database/database.ts'

export interface OwnCredential {
  readonly id: string
  readonly app: string
}

export interface CredentialChoice {
  credentialIds: string[]
  /** Apps of the chosen credentials, including deleted ones. For other apps any credential may be used. */
  chosenApps: string[]
}

export const NO_CHOICE: CredentialChoice = { credentialIds: [], chosenApps: [] }

/** Lists the end user's credentials, newest first. */
export const listOwn = (
  transaction: Transaction,
  userId: string,
): Promise<readonly OwnCredential[]> =>
  transaction.prisma.credential.findMany({
    where: { userId },
    select: { id: true, app: true },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  })

const appsOf = (own: readonly OwnCredential[], ids: readonly string[]): readonly string[] =>
  own.flatMap(({ id, app }) => (ids.includes(id) ? [app] : []))

/** The chosen apps that have no credential left. */
const disconnectedApps = (
  own: readonly OwnCredential[],
  choice: CredentialChoice,
): readonly string[] => {
  const connected = appsOf(own, choice.credentialIds)
  return choice.chosenApps.filter((app) => !connected.includes(app))
}

/** Replaces the chosen credentials. Apps whose credential was deleted stay chosen. */
export const choose = (
  own: readonly OwnCredential[],
  before: CredentialChoice,
  credentialIds: readonly string[],
): CredentialChoice => ({
  credentialIds: [...credentialIds],
  chosenApps: [...new Set([...appsOf(own, credentialIds), ...disconnectedApps(own, before)])],
})

/** Adds the newest credential of the app, and of each chosen app that has none left, if one exists. */
export const fillChoice = (
  own: readonly OwnCredential[],
  before: CredentialChoice,
  app: string,
): CredentialChoice => {
  const hasApp = appsOf(own, before.credentialIds).includes(app)
  const missing = new Set([...(hasApp ? [] : [app]), ...disconnectedApps(own, before)])
  const added = [...missing].flatMap((one) => own.find((it) => it.app === one)?.id ?? [])
  return choose(own, before, [...before.credentialIds, ...added])
}
