/** The second half of an authorization: the account that the tokens open, and the credential that stores them. */
import type { AppAccount, CredentialValues, OAuthMethod } from '../definition/auth.ts'
import type { Connector } from '../definition/connector.ts'
import { namesIn } from '../definition/fill-template.ts'
import type { TokenSet } from '../definition/token-set.ts'
import { ApiError, invalidParameter } from '../errors.ts'
import { isAppError } from '../outbound/app-error.ts'
import type { AppCredential } from '../outbound/compose-request.ts'
import type { AppClient } from '../outbound/http.ts'
import { malformedResponse } from '../outbound/malformed-response.ts'
import { endAuthorization, type StoredAuthorization } from '../store/accounts/authorizations.ts'
import {
  createCredential,
  type NewCredential,
  readCredential,
  TooManyCredentialsError,
} from '../store/accounts/credentials.ts'
import { reviveCredential } from '../store/accounts/revive-credential.ts'
import { type Database, isForeignKeyViolation } from '../store/database/database.ts'
import { inOneTransaction } from '../store/database/one-transaction.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { AuthorizationError } from './authorization-response.ts'

/** The app and the method of an authorization. */
export interface Target {
  readonly connector: Connector
  readonly methodName: string
  readonly method: OAuthMethod
}

/** What the end user authorized. */
export interface Grant {
  readonly target: Target
  /** The entered values, and those that came with the code or belong to the chosen account. */
  readonly values: CredentialValues
  readonly tokens: TokenSet
}

export interface ConnectOptions {
  readonly database: Database
  readonly vault: Vault
  readonly appClient: AppClient
  /** Checks a credential with a request to the app. @throws ApiError if the app rejects it */
  readonly checkCredential: (
    connector: Connector,
    credential: AppCredential,
  ) => Promise<Pick<NewCredential, 'label' | 'checkFailure'>>
  readonly maxCredentialsPerUser: number
}

/** Stores a credential and ends its authorization. @returns the credential's id. @throws ApiError */
export type StoreStep = (database: Database) => Promise<string>

const ended = (): ApiError =>
  new ApiError(
    'AUTHORIZATION_ENDED',
    'The authorization has ended or expired. Start a new one with POST /2024-03/headless/authorizations.',
  )

/** The credential for requests before it is stored. */
const credentialOf = ({ target, values, tokens }: Grant): AppCredential => ({
  method: target.methodName,
  values,
  tokens: { version: 0, tokens, storedMs: 0, failure: undefined },
})

const without = (
  templates: Readonly<Record<string, string>> | undefined,
  missing: readonly string[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(templates ?? {}).filter(
      ([, template]) => !namesIn(template).some((name) => missing.includes(name)),
    ),
  )

/** The connector for requests before an account is chosen: nothing contains the values of an account. */
const withoutAccount = (
  { connector, methodName, method }: Target,
  { baseUrl, valueNames }: NonNullable<OAuthMethod['accounts']>,
): Connector => {
  const { headers, query, ...request } = method.request
  const unchosen: OAuthMethod = {
    ...method,
    baseUrl: baseUrl ?? method.baseUrl,
    request: {
      ...request,
      headers: without(headers, valueNames),
      query: without(query, valueNames),
    },
  }
  return { ...connector, auth: { ...connector.auth, [methodName]: unchosen } }
}

const withAccount = (grant: Grant, account: AppAccount | undefined): Grant => ({
  ...grant,
  values: { ...grant.values, ...account?.values },
})

/** Whether all of these values are those of the credential. */
const agrees = (values: CredentialValues, known: CredentialValues): boolean =>
  Object.entries(values).every(
    ([name, value]) => known[name] === undefined || known[name] === value,
  )

/** Creates the steps that lead from tokens to a credential. */
export const createConnection = (options: ConnectOptions) => {
  const { database, vault, appClient } = options

  /** The values of the credential that is reconnected; undefined: a new one is created. */
  const readEarlier = async ({
    credentialId,
  }: StoredAuthorization): Promise<CredentialValues | undefined> =>
    credentialId === null
      ? undefined
      : (await readCredential(database, vault, credentialId))?.values

  /** @throws AppError */
  const fetchAccounts = async (
    grant: Grant,
    definition: NonNullable<OAuthMethod['accounts']>,
  ): Promise<readonly AppAccount[]> => {
    const { request } = definition
    const listing = withoutAccount(grant.target, definition)
    const response = await appClient.send(listing, credentialOf(grant), request)
    try {
      return definition.read(response)
    } catch {
      const reason = 'the response is not a list of accounts'
      throw malformedResponse(grant.target.connector, { request, response }, reason)
    }
  }

  /**
   * The accounts to choose from, or the only one; empty if the app has no such choice. A reconnected credential
   * stays with its account: the records of another one must not mix with the stored ones.
   * @throws AuthorizationError if there is no account, or another one is authorized
   */
  const listAccounts = async (
    authorization: StoredAuthorization,
    grant: Grant,
  ): Promise<readonly AppAccount[]> => {
    const { connector, method } = grant.target
    const earlier = await readEarlier(authorization)
    const returned = Object.keys(method.callbackValues ?? {}).map((name) => [
      name,
      grant.values[name] ?? '',
    ])
    const other = (): AuthorizationError =>
      new AuthorizationError(
        `This is another account of ${connector.name} than the connected one. Choose the same account, or connect the other one separately.`,
      )
    if (earlier && !agrees(Object.fromEntries(returned), earlier)) throw other()
    if (!method.accounts) return []
    const accounts = await fetchAccounts(grant, method.accounts).catch((error) => {
      if (!isAppError(error)) throw error
      throw new AuthorizationError(`${connector.name} did not list the accounts.`)
    })
    if (accounts.length === 0)
      throw new AuthorizationError(`The user of ${connector.name} has no account to connect.`)
    if (!earlier) return accounts
    const same = accounts.filter(({ values }) => agrees(values, earlier))
    if (same.length === 0) throw other()
    return same
  }

  const save = async (
    bound: Database,
    { credentialId, environmentId, userId }: StoredAuthorization,
    credential: Omit<NewCredential, 'environmentId' | 'userId' | 'method'> & {
      readonly method: string
    },
  ): Promise<string> => {
    if (credentialId === null)
      return createCredential(
        bound,
        vault,
        { ...credential, environmentId, userId },
        options.maxCredentialsPerUser,
      )
    const revived = { ...credential, environmentId, id: credentialId }
    if (!(await reviveCredential(bound, vault, revived)))
      throw new ApiError(
        'CREDENTIAL_NOT_FOUND',
        'The credential was deleted in the meantime. Connect the app without a credentialId.',
      )
    return credentialId
  }

  /** Checks the credential with the app. @returns the step that stores it. @throws ApiError */
  const prepare = async (authorization: StoredAuthorization, grant: Grant): Promise<StoreStep> => {
    const { connector, methodName } = grant.target
    const checked = await options.checkCredential(connector, credentialOf(grant))
    const { values, tokens } = grant
    const credential = { connector, method: methodName, values, tokens, ...checked }
    return (database) =>
      inOneTransaction(database, async (bound) => {
        try {
          const credentialId = await save(bound, authorization, credential)
          const end = { state: 'connected', credentialId } as const
          if (await endAuthorization(bound, authorization, end)) return credentialId
        } catch (error) {
          if (error instanceof TooManyCredentialsError)
            throw new ApiError(
              'CREDENTIAL_LIMIT',
              `The end user has ${options.maxCredentialsPerUser} credentials, the limit (MAX_CREDENTIALS_PER_USER). Delete an unused one.`,
            )
          // The end user was deleted in between, and the authorization with it.
          if (!isForeignKeyViolation(error)) throw error
        }
        throw ended()
      })
  }

  /**
   * Checks the account that the end user chose with a request to the app.
   * @returns the step that stores the credential, and returns its id
   * @throws ApiError AUTHORIZATION_ENDED, INVALID_PARAMETER, and those of the check of a credential
   */
  const chooseAccount = async (
    authorization: StoredAuthorization,
    target: Target,
    accountId: string,
  ): Promise<StoreStep> => {
    const { flow, state } = authorization
    if (state === 'pending')
      throw new ApiError(
        'AUTHORIZATION_ENDED',
        'The end user has not signed in to the app yet. Choose an account when the state is choosing.',
      )
    if (state !== 'choosing' || !flow?.tokens || !flow.accounts) throw ended()
    const account = flow.accounts.find(({ id }) => id === accountId)
    if (!account) throw invalidParameter('accountId', 'the id of one of the accounts')
    const { values, tokens } = flow
    return prepare(authorization, withAccount({ target, values, tokens }, account))
  }

  return { listAccounts, withAccount, prepare, chooseAccount }
}
