/**
 * Which of an end user's credentials an installation works with. One that is disconnected is replaced by no
 * other until the end user installs again: another company's records are not to be written in its place.
 */
import type { Transaction } from './database.ts'

export interface OwnCredential {
  readonly id: string
  readonly app: string
}

export interface CredentialChoice {
  credentialIds: string[]
  /** Of what was chosen, also of what is gone; for other apps any credential will do. */
  chosenApps: string[]
}

export const NO_CHOICE: CredentialChoice = { credentialIds: [], chosenApps: [] }

/** The end user's credentials, newest first. */
export const listOwn = (
  transaction: Transaction,
  userId: string,
): Promise<readonly OwnCredential[]> =>
  transaction.credential.findMany({
    where: { userId },
    select: { id: true, app: true },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  })

const appsOf = (own: readonly OwnCredential[], ids: readonly string[]): readonly string[] =>
  own.flatMap(({ id, app }) => (ids.includes(id) ? [app] : []))

/** The apps that were chosen and have no credential left. */
const goneApps = (own: readonly OwnCredential[], choice: CredentialChoice): readonly string[] => {
  const kept = appsOf(own, choice.credentialIds)
  return choice.chosenApps.filter((app) => !kept.includes(app))
}

/** Chooses these credentials instead; of an app whose credential is gone there may be none among them. */
export const choose = (
  own: readonly OwnCredential[],
  before: CredentialChoice,
  credentialIds: readonly string[],
): CredentialChoice => ({
  credentialIds: [...credentialIds],
  chosenApps: [...new Set([...appsOf(own, credentialIds), ...goneApps(own, before)])],
})

/** Adds the newest credential of the app, and of each app that has none left, as far as there is one. */
export const fillChoice = (
  own: readonly OwnCredential[],
  before: CredentialChoice,
  app: string,
): CredentialChoice => {
  const hasApp = appsOf(own, before.credentialIds).includes(app)
  const lacking = new Set([...(hasApp ? [] : [app]), ...goneApps(own, before)])
  const added = [...lacking].flatMap((one) => own.find((it) => it.app === one)?.id ?? [])
  return choose(own, before, [...before.credentialIds, ...added])
}
