/** Bodies that no operation accepts: rejected in the documented form, before any work is done. */
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isRead } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { expectError } from '../support/expected-error.ts'
import { restRequest } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const MIB = 1024 * 1024

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
})
afterAll(() => service.stop())

const changes = operations.filter((operation) => !isRead(operation))

describe.each(changes.map((operation) => [operation.name, operation] as const))(
  'a body for %s',
  (_name, operation) => {
    const { method, url } = restRequest(operation, operation.example.input)
    const send = (payload: string | Buffer | Readable, headers = {}, key = tenant.key) =>
      service.server.inject({
        method,
        url,
        payload,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          ...headers,
        },
      })

    test('of more than 1 MiB is rejected, with or without a Content-Length', async () => {
      const large = `{"username":"${'x'.repeat(MIB)}"}`
      expectError(await send(large), { code: 'BODY_TOO_LARGE' })
      expectError(await send(Readable.from([large])), { code: 'BODY_TOO_LARGE' })
    })

    test('that is not JSON in UTF-8 is rejected', async () => {
      for (const text of ['{', 'null}', '{"a":NaN}', '[1,]', '\0', 'a=1'])
        expectError(await send(text), { code: 'MALFORMED_BODY' }, text)
      const bytes = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])
      expectError(await send(bytes), { code: 'MALFORMED_BODY' })
      const polluting = '{"username":"a","__proto__":{"isAdmin":true}}'
      expectError(await send(polluting), { code: 'MALFORMED_BODY' })
    })

    test('of no bytes, declared as JSON, counts as none', async () => {
      const { key } = await service.createTenant('development', [], 'Another')
      const response = await send('', {}, key)
      if (operation.body !== undefined)
        expectError(response, { code: 'INVALID_PARAMETER', field: 'body' })
      // Without a body the operation runs, or is rejected because of its address.
      else expect(response.body).not.toMatch(/MALFORMED_BODY|INVALID_PARAMETER/)
    })

    if (operation.body === undefined)
      test('with content is rejected if the operation takes no body', async () => {
        const { key } = await service.createTenant('development', [], 'Another')
        const junk = await send('{"junk":1}', {}, key)
        expectError(junk, { code: 'INVALID_PARAMETER', field: 'junk' })
        expect((await send('{}', {}, key)).body).not.toContain('INVALID_PARAMETER')
      })

    test('of another media type is rejected', async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
        expectError(await send('a=1', { 'content-type': type }), {
          code: 'UNSUPPORTED_MEDIA_TYPE',
        })
    })

    test('is not read without a key', async () => {
      let isRead = false
      const body = new Readable({
        read: () => {
          isRead = true
        },
      })
      const refused = await send(body, { 'content-length': String(20 * MIB) }, 'nobody')
      expectError(refused, { code: 'UNAUTHENTICATED' })
      body.destroy()
      expect(isRead).toBe(false)
    })

    test('that is not an object is rejected', async () => {
      // An operation without a body accepts an empty one.
      const nothing = operation.body === undefined ? [] : ['null']
      for (const text of [...nothing, '5', '"text"', 'true', '[]', '[{}]'])
        expectError(await send(text), { code: 'INVALID_PARAMETER' }, text)
      const deep = '['.repeat(100_000) + ']'.repeat(100_000)
      expectError(await send(deep), { code: 'INVALID_PARAMETER' })
    })
  },
)
