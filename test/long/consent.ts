/** Authorizations that an end user allows on the consent page of a simulator. */
import { expect } from 'vitest'
import { openBrowser } from '../support/oauth-browser.ts'
import { callOver } from '../support/operations.ts'
import type { Tenant, TestService } from '../support/service.ts'

export interface Consent {
  readonly app: string
  /** What the end user enters before the page opens. */
  readonly credential?: Readonly<Record<string, string>>
  /** The account that the end user chooses on the page. */
  readonly account?: string
  readonly publicUrl: string
}

/** Connects an app by OAuth: allows access on its consent page. @returns the id of the credential */
export const connectByConsent = async (
  service: TestService,
  { key, userId }: Tenant,
  { app, credential, account, publicUrl }: Consent,
): Promise<string> => {
  const call = callOver(service, 'REST')
  const input = { userId, app, ...(credential && { credential }) }
  const { result } = await call(key, 'createAuthorization', input)
  const browser = openBrowser(service)
  const page = await browser.open(result.url)
  const fields = [...page.searchParams, ['decision', 'allow']]
  if (account !== undefined) fields.push(['account', account])
  const response = await fetch(page, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(fields),
  })
  const callback = response.headers.get('location') ?? `${response.status} ${await response.text()}`
  expect(callback).toContain(`${publicUrl}/oauth/callback`)
  expect((await browser.get(callback)).body).toContain('Connected')
  const credentials = (await call(key, 'userCredentials', { userId })).result
  return credentials.at(-1).credentialId
}
