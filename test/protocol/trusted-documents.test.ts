/** Trusted documents: named by their ids over every transport, and, if required, the only ones that run. */
import { hash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildSchema } from '../../src/api/graphql/schema.ts'
import { checkTrustedDocuments } from '../../src/api/graphql/trusted-documents.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { readTrustedDocuments } from '../../src/process/trusted-documents-file.ts'
import {
  account,
  CREDENTIAL,
  openSocketClient,
  type SubscriptionHarness,
  startSubscriptionHarness,
} from '../delivery/subscription-harness.ts'
import { openServer } from '../support/service.ts'

const LIST = 'query List($id: ID!) { crmAccounts(credentialId: $id) { totalCount } }'
const CHANGES = 'subscription Changes { crmAccounts { cursor } }'
const CREATE = 'mutation Create { __typename }'
const idOf = (text: string): string => hash('sha256', text, 'hex')
const variables = { id: CREDENTIAL }

let folder: string
let path: string
/** Runs only trusted documents. */
let harness: SubscriptionHarness
/** On the same database; runs all documents. */
let open: Awaited<ReturnType<typeof openServer>>

const write = async (content: string): Promise<string> => {
  await writeFile(path, content)
  return path
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trunkline-trusted-'))
  path = join(folder, 'documents.json')
  const trusted = [LIST, CHANGES, CREATE].map((text) => [idOf(text), text])
  await write(JSON.stringify(Object.fromEntries([...trusted, ['list', LIST]])))
  harness = await startSubscriptionHarness({ trustedDocuments: path, trustedDocumentsOnly: true })
  open = await openServer(harness.service.url, { trustedDocuments: path })
})
afterAll(async () => {
  await open.stop()
  await harness.stop()
  await rm(folder, { recursive: true })
})

const persistedQueryOf = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } })

const post = async (body: object, server = harness.service.server) => {
  const headers = { authorization: `Bearer ${harness.tenant.key}` }
  const response = await server.inject({ method: 'POST', url: '/graphql', headers, payload: body })
  return { status: response.statusCode, ...response.json() }
}

const get = async (parameters: Record<string, string>) => {
  const url = `/graphql?${new URLSearchParams({ ...parameters, variables: JSON.stringify(variables) })}`
  return (await harness.service.send(harness.tenant.key, 'GET', url)).json()
}

const found = { data: { crmAccounts: { totalCount: expect.any(Number) } } }
const rejectionBody = (code: string, field?: string) => ({
  errors: [
    { extensions: { code, ...(field && { details: [expect.objectContaining({ field })] }) } },
  ],
})

describe('over HTTP', () => {
  test.each<[string, object]>([
    ['documentId', { documentId: idOf(LIST) }],
    ['documentId with its algorithm', { documentId: `sha256:${idOf(LIST)}` }],
    ['documentId that is no hash', { documentId: 'list' }],
    ['the extension of Apollo', { extensions: persistedQueryOf(idOf(LIST)) }],
    ['the exact text', { query: LIST }],
    [
      'the exact text with the extension',
      { query: LIST, extensions: persistedQueryOf(idOf(LIST)) },
    ],
  ])('%s', async (_name, named) => {
    // Yoga answers the first request; later requests use the plan.
    expect(await post({ ...named, variables })).toMatchObject(found)
    expect(await post({ ...named, variables })).toMatchObject(found)
    expect(await post({ ...named, variables }, open.server)).toMatchObject(found)
  })

  test('a GET names a document in its query string, but no mutation', async () => {
    expect(await get({ documentId: 'list' })).toMatchObject(found)
    const extensions = JSON.stringify(persistedQueryOf(idOf(LIST)))
    expect(await get({ extensions })).toMatchObject(found)
    expect(await get({ documentId: idOf(CREATE) })).toMatchObject(
      rejectionBody('METHOD_NOT_ALLOWED'),
    )
  })

  test('errors of a trusted document are those of its text', async () => {
    const byId = await post({ documentId: 'list', variables: { id: 5.5 } })
    const byText = await post({ query: LIST, variables: { id: 5.5 } })
    expect(byId.errors[0].message).toBe(byText.errors[0].message)
  })

  test('other documents are rejected', async () => {
    const other = `${LIST} `
    expect(await post({ query: other, variables })).toMatchObject({
      status: 403,
      ...rejectionBody('FORBIDDEN'),
    })
    expect(await get({ query: other })).toMatchObject(rejectionBody('FORBIDDEN'))
    expect(await post({ query: '' })).toMatchObject(rejectionBody('FORBIDDEN'))
    expect(await post({ query: other, variables }, open.server)).toMatchObject(found)
  })

  test.each<[object, string]>([
    [{ documentId: 'unknown' }, 'documentId'],
    [{ extensions: persistedQueryOf('unknown') }, 'documentId'],
    [{ documentId: '__proto__' }, 'documentId'],
    [{ documentId: 5 }, 'documentId'],
    [{ documentId: 'list', query: LIST }, 'documentId'],
    [{ extensions: { persistedQuery: 'list' } }, 'query'],
    [{}, 'query'],
  ])('%j is invalid', async (named, field) => {
    for (const server of [harness.service.server, open.server])
      expect(await post(named, server)).toMatchObject({
        status: 400,
        ...rejectionBody('INVALID_PARAMETER', field),
      })
  })
})

describe('subscriptions', () => {
  test('over Server-Sent Events', async () => {
    const openEventStream = (body: object) =>
      fetch(harness.url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${harness.tenant.key}`,
          accept: 'text/event-stream',
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      })
    expect((await openEventStream({ query: `${CHANGES} ` })).status).toBe(403)
    const { body } = await openEventStream({ documentId: idOf(CHANGES) })
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (let n = 1; !text.includes('event: next'); n++) {
      // The stream has started with its first bytes.
      text += (await reader?.read())?.value ?? ''
      await harness.write([account(n)])
    }
    expect(text).toContain('"crmAccounts"')
    await reader?.cancel()
  })

  test('over WebSockets', async () => {
    const client = openSocketClient(harness.url, harness.tenant.key)
    const run = (payload: { query: string; extensions?: Record<string, unknown> }) =>
      new Promise<unknown>((resolve) => {
        const stop = client.subscribe(payload, {
          next: (result) => {
            resolve(result)
            stop()
          },
          error: resolve,
          complete: () => resolve(undefined),
        })
      })
    const expectedErrors = (code: string) => [
      expect.objectContaining({ extensions: expect.objectContaining({ code }) }),
    ]
    expect(await run({ query: `${CHANGES} ` })).toEqual(expectedErrors('FORBIDDEN'))
    expect(await run({ query: '', extensions: persistedQueryOf('unknown') })).toEqual(
      expectedErrors('INVALID_PARAMETER'),
    )
    // A query: WebSockets serve only subscriptions.
    expect(await run({ query: '', extensions: persistedQueryOf(idOf(LIST)) })).toEqual(
      expectedErrors('BAD_REQUEST'),
    )
    const changed = run({ query: '', extensions: persistedQueryOf(idOf(CHANGES)) })
    let isDone = false
    void changed.then(() => {
      isDone = true
    })
    for (let n = 100; !isDone; n++) await harness.write([account(n)])
    expect(await changed).toMatchObject({ data: { crmAccounts: { cursor: expect.any(String) } } })
    await client.dispose()
  })
})

describe('the file', () => {
  test.each([
    ['{', 'it is not JSON'],
    ['[]', 'expected a JSON object of documents by their hashes'],
    ['{"": "{ __typename }"}', 'entry "": expected an id of 1 to 200 characters'],
    ['{"a": 1}', 'entry "a": expected the text of a GraphQL document'],
  ])('%s is rejected', async (content, reason) => {
    await write(content)
    expect(() => readTrustedDocuments(path)).toThrow(`TRUSTED_DOCUMENTS ${path}: ${reason}.`)
  })

  test('a missing file is rejected', () => {
    expect(() => readTrustedDocuments(`${path}.missing`)).toThrow('the file cannot be read')
  })

  test.each([
    ['{ missing }', 'Cannot query field "missing" on type "Query".'],
    ['query {', 'Syntax Error: Expected Name, found <EOF>.'],
  ])('the error of %s names its entry', (text, reason) => {
    const texts = new Map([
      ['good', LIST],
      ['bad', text],
    ])
    const schema = buildSchema(catalogue)
    const check = () =>
      checkTrustedDocuments(
        { texts, isRequired: false },
        { schema, parse, validate: validate as never },
      )
    expect(check).toThrow(`TRUSTED_DOCUMENTS: entry "bad": ${reason}`)
  })
})
