/** The Vendure connector without a Vendure: failures in responses, and credentials. */
import { describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/vendure/manifest.ts'
import { shop } from '../../src/connectors/vendure/shop.ts'
import { authenticate, baseUrlOf } from '../../src/definition/authenticate.ts'
import type { CredentialValues } from '../../src/definition/connector.ts'
import { REQUEST } from '../support/steps.ts'
import { failures, findResource, response, responseWith } from './vendure/fixtures.ts'

describe('a response', () => {
  const kindOf = (failure: { status: number; body: unknown }) =>
    connector.readFailure(response(failure), REQUEST)?.kind

  test.each([
    ['a wrong key', 'authentication'],
    ['a channel that the key was not made in', 'authentication'],
    ['an unknown channel', 'authentication'],
    ['a page that is too large', 'refused'],
    ['an unknown field', 'refused'],
    ['no GraphQL', 'refused'],
    ['a bad variable', 'refused'],
    ['a batch', 'refused'],
    ['no JSON', 'refused'],
    ['a wrong path', 'refused'],
    ['a body over 100 kB', 'refused'],
    ['an unknown record in a mutation', 'absent'],
    ['a rule of the domain', 'refused'],
    ['a price in a currency that a variant has none in', 'unavailable'],
  ])('to %s is a failure: %s', (name, kind) => {
    const failure = failures[name]
    if (!failure) throw new Error(`${name} was not recorded`)
    expect(kindOf(failure)).toBe(kind)
  })

  test.each([
    [{ data: { activeChannel: { id: '2', code: 'harbour-light' } } }, 'harbour-light'],
    [{ data: { activeChannel: { id: '1', code: '__default_channel__' } } }, undefined],
    [{ data: null }, undefined],
  ])('to the check names the channel: %j', (body, name) => {
    expect(connector.readAccountName?.(response({ status: 200, body }))).toBe(name)
  })

  test('every recorded rejection is a failure', () => {
    for (const [name, failure] of Object.entries(failures))
      expect(kindOf(failure), name).toBeDefined()
  })

  test('to a rejected key names the possible causes', () => {
    const refused = connector.readFailure(
      response(failures['a wrong key'] ?? { status: 0, body: {} }),
      REQUEST,
    )
    expect(refused?.reason).toMatch(/^FORBIDDEN: You are not currently authorized .*tokenMethod/)
    expect(refused?.reason.length).toBeLessThan(300)
  })

  test.each([
    [
      'an error without a code',
      { errors: [{ message: 'SQLITE_BUSY' }], data: null },
      'unavailable',
    ],
    [
      'a rejected deletion',
      { data: { deleteProduct: { result: 'NOT_DELETED', message: 'in use' } } },
      'refused',
    ],
    ['a deletion', { data: { deleteProduct: { result: 'DELETED' } } }, undefined],
    ['an absent record', { data: { order: null } }, undefined],
  ])('with %s is classified', (_name, body, kind) => {
    expect(kindOf({ status: 200, body })).toBe(kind)
  })

  test('of a proxy is classified by its status', () => {
    expect(kindOf({ status: 502, body: undefined })).toBeUndefined()
    expect(kindOf({ status: 429, body: undefined })).toBeUndefined()
  })

  test('without a list is invalid', () => {
    const position = { since: undefined, cursor: undefined }
    for (const body of [undefined, {}, { data: null }, { data: { orders: {} } }])
      expect(() =>
        findResource('orders').readList(response({ status: 200, body }), position),
      ).toThrow()
  })

  test.each([
    ['moneyStrategyPrecision', { activeChannel: { defaultCurrencyCode: 'EUR' } }],
    ['defaultCurrencyCode', { globalSettings: { serverConfig: { moneyStrategyPrecision: 2 } } }],
  ])('without the %s is invalid: it is not guessed', (word, data) => {
    const steps = shop.read()
    steps.next()
    expect(() => steps.next(responseWith(data))).toThrow(word)
  })
})

describe('a credential', () => {
  const method = connector.auth.apiKey
  if (!method) throw new Error('Vendure has no API key.')

  test('uses the shop’s address with or without the API path, and the channel if one is set', () => {
    for (const url of ['https://x.example', 'https://x.example/', ' https://x.example/admin-api/ '])
      expect(baseUrlOf(method, { url })).toBe('https://x.example')
    const headersOf = (values: CredentialValues) => authenticate(method, values).headers
    expect(headersOf({ apiKey: 'a:b' })).toEqual({ 'vendure-api-key': 'a:b' })
    expect(headersOf({ apiKey: 'a:b', channelToken: '' })).toEqual({ 'vendure-api-key': 'a:b' })
    expect(headersOf({ apiKey: 'a:b', channelToken: 'eu' })).toEqual({
      'vendure-api-key': 'a:b',
      'vendure-token': 'eu',
    })
  })
})
