/** The methods of a connector to authenticate: templates, requests and rejected definitions. */
import { describe, expect, test } from 'vitest'
import type { AuthMethod, KeyMethod, OAuthMethod } from '../../src/definition/auth.ts'
import { authenticate, baseUrlOf, isSecret, methodOf } from '../../src/definition/authenticate.ts'
import { checkAuth } from '../../src/definition/check-auth.ts'
import { fillText, fillUrl } from '../../src/definition/fill-template.ts'

const keyMethod: KeyMethod = {
  type: 'apiKey',
  fields: {
    shop: { doc: 'Shop.', secret: false, normalize: (value) => value.trim() },
    key: { doc: 'Key.', secret: true },
    channel: { doc: 'Channel.', secret: false, optional: true },
  },
  baseUrl: 'https://{shop}.shop.example/api',
  request: { headers: { 'x-key': '{key}', 'x-channel': '{channel}' } },
}

const oauthMethod: OAuthMethod = {
  type: 'oauth2',
  fields: {},
  baseUrl: '{instanceUrl}/company/{realmId}',
  request: { headers: { authorization: 'Bearer {accessToken}' } },
  authorizationUrl: 'https://auth.example/authorize',
  tokenUrl: 'https://auth.example/token',
  clientAuthentication: 'basic',
  scopes: ['read'],
  pkce: 'S256',
  callbackValues: { realmId: 'realmId' },
  tokenValues: { instanceUrl: 'instance_url' },
  refresh: 'rotating',
}

describe('a template', () => {
  test.each([
    ['{url}', { url: 'https://x.example/a?b' }, 'https://x.example/a?b'],
    ['{url}/v1/{id}', { url: 'https://x.example', id: 'a/b c' }, 'https://x.example/v1/a%2Fb%20c'],
    [
      'https://{shop}.x.example',
      { shop: 'evil.example/#' },
      'https://evil.example%2F%23.x.example',
    ],
    ['https://x.example', {}, 'https://x.example'],
  ])('%s becomes a URL with %j', (template, values, url) => {
    expect(fillUrl(template, values)).toBe(url)
  })

  test.each([
    ['https://x.example/{id}/y', { id: '..' }],
    ['https://x.example/{id}/y', { id: '' }],
    ['https://x.example/{id}/y', {}],
    ['https://x.example/{toString}/y', {}],
  ])('%s becomes no URL with %j', (template, values) => {
    expect(() => fillUrl(template, values)).toThrow('The credential has no usable value')
  })

  test('of a text takes values as they are', () => {
    expect(fillText('Bearer {a}{a}', { a: '$&/x' })).toBe('Bearer $&/x$&/x')
  })
})

describe('a request', () => {
  test('has the headers of the values; one of an optional value that is missing is left out', () => {
    const values = { shop: ' acme ', key: 'k-123456', channel: '' }
    expect(baseUrlOf(keyMethod, values)).toBe('https://acme.shop.example/api')
    expect(authenticate(keyMethod, values)).toEqual({
      headers: { 'x-key': 'k-123456' },
      query: {},
      secrets: ['k-123456'],
    })
    expect(authenticate(keyMethod, { ...values, channel: 'eu' }).headers).toEqual({
      'x-key': 'k-123456',
      'x-channel': 'eu',
    })
    expect(() => authenticate(keyMethod, { shop: 'acme' })).toThrow('no usable value key')
  })

  test('has a Basic header or a query parameter', () => {
    const basic = { ...keyMethod, request: { basic: { user: '{key}', password: '{channel}' } } }
    const authorization = `Basic ${btoa('k-123456:')}`
    expect(authenticate(basic, { key: 'k-123456' })).toEqual({
      headers: { authorization },
      query: {},
      secrets: [authorization],
    })
    expect(() => authenticate(basic, { key: 'a:b' })).toThrow('colon')
    const query = { ...keyMethod, request: { query: { api_key: '{key}' } } }
    expect(authenticate(query, { key: 'k&=' }).query).toEqual({ api_key: 'k&=' })
  })

  test('of OAuth uses the values that the app returned, which are not secret', () => {
    const values = { accessToken: 'at', instanceUrl: 'https://eu.example', realmId: '77' }
    expect(baseUrlOf(oauthMethod, values)).toBe('https://eu.example/company/77')
    expect(authenticate(oauthMethod, values).headers).toEqual({ authorization: 'Bearer at' })
    expect(
      ['accessToken', 'realmId', 'instanceUrl', 'unknown'].map((name) =>
        isSecret(oauthMethod, name),
      ),
    ).toEqual([true, false, false, true])
  })
})

describe('the methods of a connector', () => {
  test('are found by name; null means the first', () => {
    const auth = { oauth: oauthMethod, key: keyMethod }
    expect(methodOf(auth, null)).toBe(oauthMethod)
    expect(methodOf(auth, 'key')).toBe(keyMethod)
    expect(methodOf(auth, 'toString')).toBe(undefined)
  })

  test('are accepted as they are declared above', () => {
    expect(() => checkAuth('shop', { oauth: oauthMethod, key: keyMethod })).not.toThrow()
  })

  test.each<[string, AuthMethod, string]>([
    [
      'an unknown value',
      { ...keyMethod, baseUrl: 'https://{shpo}.example' },
      'baseUrl contains {shpo}, which has no value there. Did you mean {shop}?',
    ],
    [
      'a stray brace',
      { ...keyMethod, baseUrl: 'https://{shop' },
      'baseUrl has a brace that belongs to no name',
    ],
    [
      'a secret in an address',
      { ...keyMethod, baseUrl: 'https://x.example/{key}' },
      'baseUrl contains the secret {key}',
    ],
    [
      'requests without the token',
      { ...oauthMethod, request: {} },
      'its requests do not contain {accessToken}',
    ],
    [
      'a value that comes later',
      { ...oauthMethod, authorizationUrl: '{instanceUrl}/a' },
      'authorizationUrl contains {instanceUrl}, which has no value there.',
    ],
    [
      'a name twice',
      { ...oauthMethod, tokenValues: { realmId: 'x', instanceUrl: 'y' } },
      'the value realmId is declared twice',
    ],
    [
      'a name in another case',
      { ...oauthMethod, callbackValues: { 'realm-id': 'x' } },
      'the value realm-id has a name that is not in camel case',
    ],
  ])('are rejected with %s', (_name, method, problem) => {
    expect(() => checkAuth('shop', { main: method })).toThrow(
      new TypeError(`The connector shop, method main: ${problem}`),
    )
  })

  test('must exist', () => {
    expect(() => checkAuth('shop', {})).toThrow('The connector shop declares no way')
  })
})
