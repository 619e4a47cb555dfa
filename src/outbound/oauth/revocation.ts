/** Revokes tokens at an authorization server. @see RFC 7009 */
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  processRevocationResponse,
  revocationRequest,
} from 'oauth4webapi'
import type { CredentialValues, OAuthMethod } from '../../definition/auth.ts'
import { fillUrl } from '../../definition/fill-template.ts'
import type { Exchange } from '../exchange.ts'

/** A token to revoke, with what its authorization server needs. */
export interface Revocation {
  readonly method: OAuthMethod
  /** The values of the credential, which fill the address of the server. */
  readonly values: CredentialValues
  readonly client: { readonly clientId: string; readonly clientSecret: string }
  /** The refresh token if there is one: its access tokens are revoked with it. */
  readonly token: string
}

/** Revokes a token; does nothing for apps without a revocation URL. @throws Error if the server did not confirm it */
export const sendRevocation = async (
  exchange: Pick<Exchange, 'send'>,
  { method, values, client, token }: Revocation,
): Promise<void> => {
  if (method.revocationUrl === undefined) return
  const url = new URL(fillUrl(method.revocationUrl, values))
  const server = { issuer: url.origin, revocation_endpoint: url.href }
  const authenticate =
    method.clientAuthentication === 'basic'
      ? ClientSecretBasic(client.clientSecret)
      : ClientSecretPost(client.clientSecret)
  const response = await revocationRequest(
    server,
    { client_id: client.clientId },
    authenticate,
    token,
    {
      // The exchange decides which addresses are allowed.
      [allowInsecureRequests]: true,
      [customFetch]: async (href, { headers, body }) => {
        const outgoing = { method: 'POST', url: new URL(href), headers, body: body.toString() }
        const { status, release } = await exchange.send(outgoing)
        release()
        return new Response(null, { status })
      },
    },
  )
  await processRevocationResponse(response)
}
