/** Checks that the app accepts the credential and rejects a wrong one. */
import { isSecret, methodOf } from '../../../src/definition/authenticate.ts'
import { isAppError } from '../../../src/outbound/app-error.ts'
import type { Findings } from './result.ts'
import type { Workbench } from './workbench.ts'

const TIMEOUT_MS = 30_000

/** The request `check` succeeds, and with other secrets it fails as an authentication failure. */
export const checkCredential = async ({
  appClient,
  connector,
  credential,
}: Workbench): Promise<Findings> => {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const response = await appClient.check(connector, credential, signal)
  const name = connector.readAccountName?.(response)
  const accepted = name === undefined ? 'accepted' : `accepted, the account is ${name}`
  const method = methodOf(connector.auth, credential.method)
  const secrets = Object.keys(credential.values).filter((name) => method && isSecret(method, name))
  if (secrets.length === 0) return { problems: [], summary: `${accepted}; it has no secret` }
  const values = { ...credential.values }
  for (const secret of secrets) values[secret] = 'not-the-secret'
  const wrong = await appClient
    .check(connector, { ...credential, values }, signal)
    .catch((error: unknown) => error)
  const code = isAppError(wrong) ? wrong.code : 'no failure'
  return {
    problems:
      code === 'APP_AUTHENTICATION'
        ? []
        : [`a wrong secret causes ${code} instead of APP_AUTHENTICATION`],
    summary: `${accepted}; a wrong secret is rejected`,
  }
}
