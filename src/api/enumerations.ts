/** The enumerations that several operations share. */
import type { AuthMethod } from '../definition/auth.ts'
import type { CustomFieldType } from '../definition/custom-field.ts'
import { enumeration } from '../definition/field.ts'
import type { AppRequest } from '../definition/steps.ts'
import type { ChangeKind } from '../store/changes/changes.ts'
import type { RunStatus } from '../store/workflows/workflow-history.ts'
import type { KeyCaller } from './auth/caller.ts'
import type { ConnectionState } from './credential-state.ts'

/** The meaning of each word. */
type Words<Word extends string> = Readonly<Record<Word, string>>

const changeKinds: Words<ChangeKind> = {
  created: 'It was created.',
  updated: 'It was updated.',
  deleted: 'It was deleted.',
}

export const changeKind = (doc: string) =>
  enumeration(doc, changeKinds, {
    shared: { name: 'ChangeKind', doc: 'What happened to a record.' },
  })

const environments: Words<KeyCaller['environment']> = {
  development: 'For development and tests.',
  production: 'For production.',
}

export const environment = (doc: string) =>
  enumeration(doc, environments, {
    shared: {
      name: 'Environment',
      doc: 'An environment, which has its own users, credentials, records and API keys.',
    },
  })

const credentialTypes: Words<AuthMethod['type']> = {
  apiKey: 'By entered values, such as an API key, with POST /2024-03/headless/credentials.',
  oauth2: 'By OAuth, with POST /2024-03/headless/authorizations.',
  session:
    'By entered values, for which the app returns an access token, with POST /2024-03/headless/credentials.',
  clientCredentials:
    'By entered OAuth 2 client credentials, with POST /2024-03/headless/credentials.',
}

export const credentialType = (doc: string) =>
  enumeration(doc, credentialTypes, {
    shared: { name: 'CredentialType', doc: 'How an app is connected.' },
  })

const credentialStates: Words<ConnectionState> = {
  needs_reconnect: 'The app rejects the credential.',
  failing: 'The sync fails and is retried.',
  syncing: 'The first sync is in progress.',
  connected: 'The first sync has completed, and the sync does not fail.',
  paused: 'Nothing is synced until it is resumed.',
}

export const credentialState = (doc: string) =>
  enumeration(doc, credentialStates, {
    shared: {
      name: 'CredentialState',
      doc: 'The state of a credential, or of the sync of one of its resources.',
    },
  })

const customFieldTypes: Words<CustomFieldType> = {
  text: 'A string.',
  number: 'A JSON number.',
  decimal: 'A string of exact digits.',
  boolean: 'True or false.',
  date: 'A date.',
  timestamp: 'A date and time.',
  texts: 'A list of strings.',
}

export const customFieldType = (doc: string) =>
  enumeration(doc, customFieldTypes, {
    shared: { name: 'CustomFieldType', doc: 'The type of the values of a custom field.' },
  })

const runStatuses: Words<RunStatus> = {
  waiting: 'It waits for its first attempt or for the next one.',
  running: 'An attempt is in progress.',
  succeeded: 'An attempt has succeeded.',
  failed: 'It has failed finally.',
}

export const runStatus = (doc: string) =>
  enumeration(doc, runStatuses, {
    shared: { name: 'WorkflowRunStatus', doc: 'The status of a run of a workflow.' },
  })

const httpMethods: Words<AppRequest['method']> = {
  GET: 'Reads.',
  POST: 'Creates, or starts an action.',
  PUT: 'Replaces.',
  PATCH: 'Updates a part.',
  DELETE: 'Deletes.',
}

export const httpMethod = (doc: string) =>
  enumeration(doc, httpMethods, {
    shared: { name: 'HttpMethod', doc: 'The method of an HTTP request to an app.' },
  })
