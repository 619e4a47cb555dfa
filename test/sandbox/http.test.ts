/** Who is let into the sandbox app, and what its paths are. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kinds } from '../../src/sandbox/kinds/kinds.ts'
import { BEGINNING, error, openPlayground, type Playground } from './playground.ts'

let playground: Playground
beforeAll(async () => {
  playground = await openPlayground()
})
afterAll(() => playground.stop())

describe('a tenant', () => {
  test('is made once: again, it has the same token and records', async () => {
    const { app, acme, listAll } = playground
    const before = await listAll('vendors', BEGINNING)
    expect(await app.createTenant('acme', { seed: 9 })).toEqual(acme)
    expect(await listAll('vendors', BEGINNING)).toEqual(before)
  })

  test('is made once by many at once', async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, () => playground.app.createTenant('crowd')),
    )
    expect(new Set(made.map(({ token }) => token)).size).toBe(1)
    const [crowd] = made
    const answer = await playground.ask('GET', '/v1/vendors', { ...(crowd && { as: crowd }) })
    expect(answer.body.items).toHaveLength(25)
  })

  test('has a name that is one', async () => {
    for (const name of ['', 'Acme', 'a b', '-', 'x'.repeat(64), 'ä'])
      await expect(playground.app.createTenant(name)).rejects.toThrow(RangeError)
  })

  test('is opened by its own token alone', async () => {
    const { app, acme, ask } = playground
    const globex = await app.createTenant('globex')
    const wrong = [
      { tenant: 'acme', token: globex.token },
      { tenant: 'globex', token: acme.token },
      { tenant: 'nobody', token: acme.token },
      { tenant: 'acme', token: `${acme.token}x` },
      { tenant: 'acme', token: '' },
      { tenant: '', token: acme.token },
    ]
    for (const as of wrong) {
      const { status, body } = await ask('GET', '/v1/vendors', { as })
      expect(status, as.tenant).toBe(401)
      expect(body).toEqual(error('unauthorized'))
    }
    const { status } = await ask('GET', '/v1/vendors', { headers: { authorization: 'Basic eDp5' } })
    expect(status).toBe(401)
  })

  test('of a new name is made for who asks to be let in, and has the token that is given', async () => {
    const { ask } = playground
    const first = { tenant: 'newcomer', token: 'open sesame' }
    const enter = async (as: typeof first) => {
      const { status, body } = await ask('PUT', '/v1/tenant', { as })
      return [status, body]
    }
    for (const _time of [1, 2]) expect(await enter(first)).toEqual([200, { tenant: 'newcomer' }])
    expect((await ask('GET', '/v1/vendors', { as: first })).body.items).toHaveLength(25)
    expect(await enter({ ...first, token: 'other' })).toEqual([401, error('unauthorized')])
    expect(await enter({ ...first, token: '' })).toEqual([401, error('unauthorized')])
    expect(await enter({ ...first, tenant: 'A b' })).toEqual([422, error('not_a_name', 'tenant')])
  })

  test('sees none of another’s records', async () => {
    const { app, ask } = playground
    const other = await app.createTenant('other')
    const { body: made } = await ask('POST', '/v1/vendors', {
      as: other,
      body: { display_name: 'Only theirs' },
    })
    expect((await ask('GET', `/v1/vendors/${made.id}`)).status).toBe(404)
    expect((await ask('GET', `/v1/vendors/${made.id}`, { as: other })).status).toBe(200)
  })
})

describe('a path', () => {
  test('to no kind, or to no record, is not found', async () => {
    const { ask } = playground
    const unknown = ['/v1/toString', '/v1/_tenant', '/v2/vendors', '/', '/v1/vendors/ven_0001/x']
    for (const path of unknown) {
      const { status, body } = await ask('GET', path)
      expect(status, path).toBe(404)
      expect(body).toEqual(error('no_such_kind'))
    }
    for (const id of ['ven_9999', 'cli_0001', '%00', 'x'])
      expect((await ask('GET', `/v1/vendors/${id}`)).body).toEqual(error('no_such_record'))
  })

  test('of a kind that is only read takes no writes', async () => {
    for (const [kind, { readOnly }] of Object.entries(kinds)) {
      const { status, headers } = await playground.ask('POST', `/v1/${kind}`, {
        body: { nothing: 1 },
      })
      expect(status, kind).toBe(readOnly ? 405 : 422)
      if (readOnly) expect(headers.get('allow')).toBe('GET')
    }
    const { status } = await playground.ask('DELETE', '/v1/members/mem_0001')
    expect(status).toBe(405)
    expect((await playground.ask('PATCH', '/v1/vendors/ven_0001')).headers.get('allow')).toBe(
      'GET, PUT, DELETE',
    )
  })
})
