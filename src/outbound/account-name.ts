/** Reads the account's own name in an app, which becomes the label of the credential. */
import type { Connector } from '../definition/connector.ts'
import { storableText } from '../definition/value.ts'
import type { AppCredential } from './compose-request.ts'
import type { AppClient } from './http.ts'
import { malformedResponse } from './malformed-response.ts'

const MAX_LENGTH = 255

/**
 * Sends the check request of the connector, and reads the account's name from the response.
 * @returns the name, at most 255 characters; undefined if the app reports none
 * @throws AppError as the app client does, e.g. if the app rejects the credential
 */
export const readAccountName = async (
  appClient: AppClient,
  connector: Connector,
  credential: AppCredential,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const response = await appClient.check(connector, credential, signal)
  try {
    const name = connector.readAccountName?.(response)?.trim()
    return name ? storableText(name, MAX_LENGTH) : undefined
  } catch {
    const reason = 'the response does not have the expected form'
    throw malformedResponse(connector, { request: connector.check, response }, reason)
  }
}
