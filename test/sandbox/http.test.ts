/** Access to the sandbox app, and its paths. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDataset } from '../../src/sandbox/company/history.ts'
import { kindNames, kindOf } from '../../src/sandbox/kinds/kinds.ts'
import { errorBody, openSandboxHarness, type SandboxHarness, START } from './sandbox-harness.ts'

let harness: SandboxHarness
beforeAll(async () => {
  harness = await openSandboxHarness()
})
afterAll(() => harness.stop())

/** The number of vendors of a new tenant. */
const vendorsOf = async (tenant: string): Promise<number> => {
  const { records } = await createDataset({ tenant, seed: 1, start: START })
  return records.filter(({ kind }) => kind === 'vendors').length
}

describe('a tenant', () => {
  test('is created once: opened again, it has its records and a new token', async () => {
    const { app, request } = harness
    const first = await app.openTenant('twice')
    const before = await request('GET', '/v1/vendors', { as: first })
    const second = await app.openTenant('twice', { seed: 9 })
    expect(await request('GET', '/v1/vendors', { as: second })).toMatchObject({ body: before.body })
    expect((await request('GET', '/v1/vendors', { as: first })).status).toBe(401)
  })

  test('is created once by concurrent requests', async () => {
    const as = { tenant: 'crowd', token: 'a word that all know' }
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => harness.request('PUT', '/v1/tenant', { as })),
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    const { body } = await harness.request('GET', '/v1/vendors', { as })
    expect(body.items).toHaveLength(await vendorsOf('crowd'))
  })

  test('requires a valid name', async () => {
    for (const name of ['', 'Acme', 'a b', '-', 'x'.repeat(64), 'ä'])
      await expect(harness.app.openTenant(name)).rejects.toThrow(RangeError)
  })

  test('accepts its own token only', async () => {
    const { app, acme, request } = harness
    const globex = await app.openTenant('globex')
    const wrong = [
      { tenant: 'acme', token: globex.token },
      { tenant: 'globex', token: acme.token },
      { tenant: 'nobody', token: acme.token },
      { tenant: 'acme', token: `${acme.token}x` },
      { tenant: 'acme', token: '' },
      { tenant: '', token: acme.token },
    ]
    for (const as of wrong) {
      const { status, body } = await request('GET', '/v1/vendors', { as })
      expect(status, as.tenant).toBe(401)
      expect(body).toEqual(errorBody('unauthorized'))
    }
    const { status } = await request('GET', '/v1/vendors', {
      headers: { authorization: 'Basic eDp5' },
    })
    expect(status).toBe(401)
  })

  test('with a new name is created on the first sign-in, with the token passed', async () => {
    const { request } = harness
    const first = { tenant: 'newcomer', token: 'open sesame' }
    const enter = async (as: typeof first) => {
      const { status, body } = await request('PUT', '/v1/tenant', { as })
      return [status, body]
    }
    const opened = { tenant: 'newcomer', name: 'Newcomer' }
    for (const _time of [1, 2]) expect(await enter(first)).toEqual([200, opened])
    expect((await request('GET', '/v1/vendors', { as: first })).body.items).toHaveLength(
      await vendorsOf('newcomer'),
    )
    expect(await enter({ ...first, token: 'other' })).toEqual([401, errorBody('unauthorized')])
    expect(await enter({ ...first, token: '' })).toEqual([401, errorBody('unauthorized')])
    expect(await enter({ ...first, tenant: 'A b' })).toEqual([
      422,
      errorBody('not_a_name', 'tenant'),
    ])
  })

  test('sees no records of another', async () => {
    const { app, request } = harness
    const other = await app.openTenant('other')
    const { body: vendor } = await request('POST', '/v1/vendors', {
      as: other,
      body: { vendorName: 'Only theirs' },
    })
    expect((await request('GET', `/v1/vendors/${vendor.id}`)).status).toBe(404)
    expect((await request('GET', `/v1/vendors/${vendor.id}`, { as: other })).status).toBe(200)
  })
})

describe('a path', () => {
  test('to an unknown kind or record is not found', async () => {
    const { request } = harness
    const unknown = ['/v1/toString', '/v1/_tenant', '/v2/vendors', '/', '/v1/vendors/ven_0001/x']
    for (const path of unknown) {
      const { status, body } = await request('GET', path)
      expect(status, path).toBe(404)
      expect(body).toEqual(errorBody('no_such_kind'))
    }
    for (const id of ['ven_9999', 'cli_0001', '%00', 'x'])
      expect((await request('GET', `/v1/vendors/${id}`)).body).toEqual(errorBody('no_such_record'))
  })

  test('of a read-only kind accepts no writes', async () => {
    const isReadOnly = (kind: string) => !kindOf(kind)?.verbs.includes('create')
    expect(kindNames.filter(isReadOnly)).toContain('members')
    for (const kind of kindNames) {
      const { status, headers } = await harness.request('POST', `/v1/${kind}`, {
        body: { nothing: 1 },
      })
      expect(status, kind).toBe(isReadOnly(kind) ? 405 : 422)
      if (isReadOnly(kind)) expect(headers.get('allow')).toBe('GET')
    }
    const { status } = await harness.request('DELETE', '/v1/members/mem_0001')
    expect(status).toBe(405)
    expect((await harness.request('PATCH', '/v1/vendors/ven_0001')).headers.get('allow')).toBe(
      'GET, PUT, DELETE',
    )
  })
})
