/** The page of the sandbox on which its user allows or denies access to companies. */
import type { Database } from '../../store/database/database.ts'
import { createTenant, isTenantName, isTenantToken } from '../tenant.ts'
import { SANDBOX_CLIENT } from './endpoints.ts'
import { createGrant } from './grants.ts'

/** The issuer that the sandbox's authorization responses name (RFC 9207). */
const ISSUER = 'http://sandbox.trunkline.internal'
const MAX_COMPANIES = 10

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** The content of a page; `problem` is shown as an alert. */
const page = (problem: string | undefined, content = ''): Response => {
  const alert = problem === undefined ? '' : `      <p role="alert">${escapeHtml(problem)}</p>\n`
  return new Response(alert + content, { status: problem === undefined ? 200 : 400 })
}

/** The form. The browser submits it to the address of the page, which has the parameters of the request. */
const form = (companies: string, problem?: string): Response =>
  page(
    problem,
    `      <p>Trunkline asks to read and change the records of your company.</p>
      <form method="post">
        <label>Company
          <small>A new name creates a company. Separate several names with commas.</small>
          <input name="companies" required value="${escapeHtml(companies)}" autocomplete="off">
        </label>
        <label>Token of the company
          <small>For a new company, choose any token.</small>
          <input name="token" type="password" required value="open-sesame" autocomplete="off">
        </label>
        <button name="decision" value="deny" formnovalidate>Deny</button>
        <button name="decision" value="allow">Allow</button>
      </form>`,
  )

/** Redirects to the client with the response. RFC 6749, section 4.1.2; RFC 9207. */
const respond = (
  parameters: URLSearchParams,
  response: { readonly code: string } | { readonly error: string },
): Response => {
  const location = new URL(parameters.get('redirect_uri') ?? '')
  const state = parameters.get('state')
  const query = { ...response, ...(state !== null && { state }), iss: ISSUER }
  for (const [name, value] of Object.entries(query)) location.searchParams.set(name, value)
  return new Response(null, { status: 303, headers: { location: location.href } })
}

/** Opens the companies with their token; new ones are created. @returns why it is not possible, if so */
const openCompanies = async (
  database: Database,
  now: Date,
  names: readonly string[],
  token: string,
): Promise<string | undefined> => {
  if (names.length === 0 || names.length > MAX_COMPANIES || !names.every(isTenantName))
    return `Enter 1 to ${MAX_COMPANIES} names of lowercase letters, digits and hyphens.`
  if (token === '') return 'Enter the token of the company.'
  for (const tenant of names) {
    await createTenant(database, now, { tenant, token })
    if (!(await isTenantToken(database, { tenant, token })))
      return `The company ${tenant} exists and has another token.`
  }
  return undefined
}

/**
 * `GET` and `POST /oauth/authorize`: the form, and its submission.
 * @param redirectUri the only redirect URI of the client; undefined: it has none
 */
export const respondToAuthorization = async (
  database: Database,
  now: Date,
  request: Request,
  redirectUri: string | undefined,
): Promise<Response> => {
  const parameters = new URL(request.url).searchParams
  // Never redirect to an address that the client has not registered (RFC 6749, section 4.1.2.1).
  if (parameters.get('client_id') !== SANDBOX_CLIENT.clientId)
    return page('The sandbox does not know this OAuth client.')
  if (redirectUri === undefined || parameters.getAll('redirect_uri').join(' ') !== redirectUri)
    return page('The redirect URI is not registered.')
  if (parameters.get('response_type') !== 'code')
    return respond(parameters, { error: 'unsupported_response_type' })
  const challenge = parameters.get('code_challenge') ?? ''
  if (parameters.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge))
    return respond(parameters, { error: 'invalid_request' })
  if (request.method !== 'POST') return form('harbour-light')
  const entered = new URLSearchParams(await request.text())
  if (entered.get('decision') !== 'allow') return respond(parameters, { error: 'access_denied' })
  const companies = entered.get('companies') ?? ''
  const names = companies.split(/[\s,]+/).filter((name) => name !== '')
  const tenants = [...new Set(names)]
  const problem = await openCompanies(database, now, tenants, entered.get('token') ?? '')
  if (problem !== undefined) return form(companies, problem)
  const approval = { tenants, redirectUri, challenge }
  return respond(parameters, { code: await createGrant(database, now.getTime(), approval) })
}
