/** A user token opens only its user's objects, until it expires; forged tokens open nothing. RFC 8725. */
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign as signBytes,
} from 'node:crypto'
import { type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { ensureUser } from '../../src/store/accounts/users.ts'
import { expectError } from '../support/expected-error.ts'
import { openServer, startService, type Tenant, type TestService } from '../support/service.ts'
import { testVault } from '../support/vault.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const PATH = `/crm/accounts?credentialId=${CREDENTIAL}`
const DEADLINE = { timeout: 60_000, interval: 5 }
const DAY_S = 86_400

let service: TestService
let tenant: Tenant
let otherTenant: Tenant
let token: string
let kid: string

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL])
  otherTenant = await service.createTenant('production', [])
  token = (await service.tokens.issue(tenant)).token
  kid = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid
})
afterAll(() => service.stop())

type Verifier = Pick<TestService, 'server'>

const send = ({ server }: Verifier, bearer: string) =>
  server.inject({
    url: `/2024-03/one${PATH}`,
    headers: { authorization: `Bearer ${bearer}` },
  })

/** Requests records: 403 if the token is accepted (records are not for users), 401 if it is rejected. */
const statusOf = async (bearer: string, at: Verifier = service): Promise<number> =>
  (await send(at, bearer)).statusCode

/** The signing key pair, from the vault. */
const ownKey = async () => {
  const row = await service.database.prisma.signingKey.findUniqueOrThrow({ where: { id: kid } })
  const jwk = JSON.parse(testVault.open({ kind: 'signing-key', id: kid }, row.sealedKey))
  return createPrivateKey({ key: jwk, format: 'jwk' })
}

const foreign = generateKeyPairSync('ed25519')
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const nowSeconds = (): number => Math.floor(Date.now() / 1000)

const claimsOf = (): JWTPayload => ({
  iss: 'trunkline',
  aud: 'trunkline/user',
  jti: 'j',
  env: tenant.environmentId,
  sub: tenant.userId,
  iat: nowSeconds(),
  exp: nowSeconds() + 600,
})
const headerOf = () => ({ alg: 'Ed25519', typ: 'trunkline-user+jwt', kid })

/** A token of the service's own key, with altered claims and header. */
const sign = async (
  claims: Readonly<Record<string, unknown>> = {},
  header: object = {},
  key = ownKey(),
) =>
  new SignJWT({ ...claimsOf(), ...claims })
    .setProtectedHeader({ ...headerOf(), ...header })
    .sign(await key)

/** A signature of the service's own key over content that jose does not sign. */
const signRaw = async (header: object, payload: object): Promise<string> => {
  const input = `${encode({ ...headerOf(), ...header })}.${encode(payload)}`
  return `${input}.${signBytes(null, Buffer.from(input), await ownKey()).toString('base64url')}`
}

const withHmac = (header: object, secret: string | Buffer): string => {
  const input = `${encode({ ...headerOf(), alg: 'HS256', ...header })}.${encode(claimsOf())}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}

const readPublicKey = async () => createPublicKey(await ownKey())
const tokenParts = (): [string, string, string] => token.split('.') as [string, string, string]
const foreignJwk = () => foreign.publicKey.export({ format: 'jwk' })

/** Attacks by name, mostly from RFC 8725, section 2. Each differs from a valid token in one respect. */
const attacks: Readonly<Record<string, () => string | Promise<string>>> = {
  'no algorithm': () => `${encode({ ...headerOf(), alg: 'none' })}.${tokenParts()[1]}.`,
  'no algorithm, in other letters': () =>
    `${encode({ ...headerOf(), alg: 'nOnE' })}.${tokenParts()[1]}.`,
  'no algorithm, and the signature left there': () =>
    `${encode({ ...headerOf(), alg: 'none' })}.${tokenParts()[1]}.${tokenParts()[2]}`,
  'HMAC with the public key as PEM': async () =>
    withHmac({}, (await readPublicKey()).export({ type: 'spki', format: 'pem' })),
  'HMAC with the public key as DER': async () =>
    withHmac({}, (await readPublicKey()).export({ type: 'spki', format: 'der' })),
  'HMAC with the bytes of the public key': async () =>
    withHmac(
      {},
      Buffer.from((await readPublicKey()).export({ format: 'jwk' }).x ?? '', 'base64url'),
    ),
  'HMAC with nothing': () => withHmac({}, ''),
  'another spelling of the signature': () => {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    // 64 bytes leave 4 bits of the last letter unused, which a decoder ignores.
    const last = letters.indexOf(token.at(-1) ?? '')
    return `${token.slice(0, -1)}${letters[last + 1]}`
  },
  'the signature with padding': () => `${token}==`,
  'another algorithm of the same key': () => sign({}, { alg: 'EdDSA' }),
  'ES256 with a key of its own': async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    return sign({}, { alg: 'ES256' }, Promise.resolve(privateKey))
  },
  'a foreign key under our key id': () => sign({}, {}, Promise.resolve(foreign.privateKey)),
  'a foreign key, embedded': () =>
    sign({}, { jwk: foreignJwk() }, Promise.resolve(foreign.privateKey)),
  'a foreign key, embedded, in the place of a key id': () =>
    sign({}, { jwk: foreignJwk(), kid: undefined }, Promise.resolve(foreign.privateKey)),
  'a foreign key, by address': () =>
    sign({}, { jku: 'http://127.0.0.1:1/keys' }, Promise.resolve(foreign.privateKey)),
  'a foreign key, in a certificate': () =>
    sign(
      {},
      { x5c: [foreign.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')] },
      Promise.resolve(foreign.privateKey),
    ),
  'a key id of no key': () => sign({}, { kid: 'ffffffff-0000-4000-8000-000000000000' }),
  'no key id': () => sign({}, { kid: undefined }),
  'a key id that is a number': () => sign({}, { kid: 1 }),
  'a key id that is a path': () => sign({}, { kid: '../../dev/null' }),
  'a key id that is SQL': () => sign({}, { kid: `' OR '1'='1` }),
  'a key id that every object has': () => sign({}, { kid: '__proto__' }),
  'another type': () => sign({}, { typ: 'JWT' }),
  'the type of an access token': () => sign({}, { typ: 'at+jwt' }),
  'no type': () => sign({}, { typ: undefined }),
  'an extension that must be understood': () => signRaw({ crit: ['x'], x: 1 }, claimsOf()),
  'claims that are not encoded': () => signRaw({ crit: ['b64'], b64: false }, claimsOf()),
  'another issuer': () => sign({ iss: 'somebody' }),
  'no issuer': () => sign({ iss: undefined }),
  'another audience': () => sign({ aud: 'trunkline/other' }),
  'no audience': () => sign({ aud: undefined }),
  'no user': () => sign({ sub: undefined }),
  'no environment': () => sign({ env: undefined }),
  'no id': () => sign({ jti: undefined }),
  'no end': () => sign({ exp: undefined }),
  'no beginning': () => sign({ iat: undefined }),
  'an end that has been': () => sign({ iat: nowSeconds() - 120, exp: nowSeconds() - 60 }),
  'an end that is text': () => sign({ exp: '9999999999' }),
  'a beginning to come': () => sign({ iat: nowSeconds() + 60 }),
  'not before what is to come': () => sign({ nbf: nowSeconds() + 60 }),
  'a life longer than any token has': () =>
    sign({ iat: nowSeconds() - DAY_S - 60, exp: nowSeconds() + DAY_S }),
  'the user of another environment': () => sign({ sub: otherTenant.userId }),
  'the environment of another user': () => sign({ env: otherTenant.environmentId }),
  'a user who never was': () => sign({ sub: 'ffffffff-0000-4000-8000-000000000000' }),
  'a user who is no id': () => sign({ sub: 'user' }),
  'several users': () => sign({ sub: [tenant.userId] }),
  'a user who was deleted': async () => {
    const { environmentId } = tenant
    const userId = await ensureUser(service.database, environmentId, 'gone', 'Gone')
    const issued = await service.tokens.issue({ environmentId, userId })
    await service.database.prisma.endUser.delete({ where: { id: userId } })
    return issued.token
  },
  'other claims under the same signature': () =>
    `${tokenParts()[0]}.${encode({ ...claimsOf(), exp: nowSeconds() + 9999 })}.${tokenParts()[2]}`,
  'another header under the same signature': () =>
    `${encode({ ...headerOf(), x: 1 })}.${tokenParts()[1]}.${tokenParts()[2]}`,
  'a signature cut short': () => token.slice(0, -4),
  'no signature': () => `${tokenParts()[0]}.${tokenParts()[1]}.`,
  'no claims': () => `${tokenParts()[0]}..${tokenParts()[2]}`,
  'no header': () => `.${tokenParts()[1]}.${tokenParts()[2]}`,
  'nothing but dots': () => '..',
  'a fourth part': () => `${token}.${tokenParts()[2]}`,
  'two parts': () => `${tokenParts()[0]}.${tokenParts()[1]}`,
  'claims that are a list': () => signRaw({}, [claimsOf()]),
  'claims that are text': () => signRaw({}, 'claims' as never),
}

describe('a user token', () => {
  test('is accepted as it was issued, and so is one that is signed by hand', async () => {
    expect(await statusOf(token)).toBe(403)
    expect(await statusOf(await sign())).toBe(403)
    expect(await statusOf(await signRaw({}, claimsOf()))).toBe(403)
    const { expiresAt } = await service.tokens.issue(tenant)
    expect(expiresAt - nowSeconds()).toBeGreaterThan(3590)
    expect(await service.tokens.verify(token)).toMatchObject({
      environmentId: tenant.environmentId,
      userId: tenant.userId,
    })
  })

  test.each(Object.entries(attacks))('with %s is rejected', async (_what, forge) => {
    const forged = await forge()
    const response = await send(service, forged)
    expectError(response, { code: 'UNAUTHENTICATED' })
    expect(response.headers['www-authenticate']).toBe('Bearer')
    // The message repeats no part of the token and gives no reason that helps to forge one.
    for (const part of forged.split('.').filter((text) => text.length > 8))
      expect(response.body).not.toContain(part)
    expect(response.json().error.message).toMatch(
      /^The (user token is invalid|API key is invalid|user token has expired\. Request a new one)\.$/,
    )
  })

  test('is reported as expired only if the service issued it', async () => {
    const readErrorMessage = async (bearer: string) =>
      (await send(service, bearer)).json().error.message
    const past = { iat: nowSeconds() - 120, exp: nowSeconds() - 60 }
    expect(await readErrorMessage(await sign(past))).toContain('expired')
    const forged = await sign(past, {}, Promise.resolve(foreign.privateKey))
    expect(await readErrorMessage(forged)).toBe('The user token is invalid.')
  })

  test('opens no records: every operation on every resource needs a key', async () => {
    const sendGraphQL = async (query: string) => {
      const { errors, data } = await service.graphql(token, query)
      expect(errors[0]?.extensions.code, query).toBe('FORBIDDEN')
      expect(JSON.stringify(data ?? null)).not.toContain('nodes')
    }
    for (const { restPath, listField, getField } of catalogue.resources) {
      const path = restPath.replace(/:\w+/, 'x')
      for (const rest of ['', '/count', '/aggregate', '/x']) {
        const result = await service.rest(token, `${path}${rest}?credentialId=${CREDENTIAL}`)
        expectError(result, { code: 'FORBIDDEN' }, `${path}${rest}`)
      }
      await sendGraphQL(`{ ${listField}(credentialId: "${CREDENTIAL}") { totalCount } }`)
      await sendGraphQL(`{ ${listField}Aggregate(credentialId: "${CREDENTIAL}") { count } }`)
      await sendGraphQL(`{ ${listField}(userId: "${tenant.userId}") { totalCount } }`)
      await sendGraphQL(`{ ${getField}(credentialId: "${CREDENTIAL}", id: "x") { id } }`)
    }
  })

  test('with an invented key id causes at most one key query a second', async () => {
    await statusOf(token)
    service.takeStatements()
    const started = performance.now()
    for (let n = 0; n < 300; n++) {
      const invented = `ffffffff-0000-4000-8000-${String(n).padStart(12, '0')}`
      expect(await statusOf(await sign({}, { kid: invented }))).toBe(401)
    }
    const seconds = (performance.now() - started) / 1000
    // The statements of this test itself: `sign` reads the key.
    const reads = service.takeStatements().filter((sql) => /signing_keys.*ORDER BY/.test(sql))
    expect(reads.length).toBeLessThanOrEqual(seconds + 1)
    expect(await statusOf(token)).toBe(403)
  })

  test('runs no statement once its user is cached', async () => {
    for (const _first of [true, false]) await statusOf(token)
    service.takeStatements()
    expect(await statusOf(token)).toBe(403)
    expect(service.takeStatements()).toEqual([])
  })
})

describe('in several processes', () => {
  test('a user who is deleted by hand is rejected immediately in each', async () => {
    const other = await openServer(service.url)
    const { environmentId } = tenant
    const userId = await ensureUser(service.database, environmentId, 'leaving', 'Leaving')
    const { token } = await service.tokens.issue({ environmentId, userId })
    for (const at of [service, other, service, other]) expect(await statusOf(token, at)).toBe(403)
    await service.database.prisma.$executeRaw`DELETE FROM end_users WHERE id = ${userId}::uuid`
    for (const at of [service, other])
      await expect.poll(() => statusOf(token, at), DEADLINE).toBe(401)
    await other.stop()
  })

  test('concurrent first requests create one key, and every process knows it', async () => {
    const fresh = await startService()
    const owner = await fresh.createTenant('development', [CREDENTIAL])
    const others = await Promise.all([1, 2, 3].map(() => openServer(fresh.url)))
    const all = [fresh, ...others]
    const issued = await Promise.all(
      all.flatMap(({ tokens }) => [1, 2, 3].map(() => tokens.issue(owner))),
    )
    expect(await fresh.database.prisma.signingKey.count()).toBe(1)
    for (const at of all)
      for (const { token } of issued) expect(await statusOf(token, at)).toBe(403)
    for (const other of others) await other.stop()
    await fresh.stop()
  })

  test('a new key signs; the old one verifies until its last token has expired', async () => {
    const fresh = await startService()
    const owner = await fresh.createTenant('development', [CREDENTIAL])
    const { prisma } = fresh.database
    const others = await Promise.all([1, 2].map(() => openServer(fresh.url)))
    const all = [fresh, ...others]
    const old = (await fresh.tokens.issue(owner)).token
    for (const at of all) expect(await statusOf(old, at)).toBe(403)

    await prisma.$executeRaw`UPDATE signing_keys SET created_at = created_at - interval '31 days'`
    const issue = async () => {
      const issued = await Promise.all(all.map(({ tokens }) => tokens.issue(owner)))
      return issued.map(({ token }) => token)
    }
    const kidOf = (token: string) => token.split('.')[0]
    // Each process receives the notification within moments.
    await expect
      .poll(async () => (await issue()).map(kidOf).includes(kidOf(old)), DEADLINE)
      .toBe(false)
    const fromNew = await issue()
    expect(new Set(fromNew.map(kidOf)).size).toBe(1)
    expect(await prisma.signingKey.count({ where: { retiredAt: null } })).toBe(1)
    expect(await prisma.signingKey.count()).toBe(2)
    for (const at of all)
      for (const token of [...fromNew, old])
        await expect.poll(() => statusOf(token, at), DEADLINE).toBe(403)

    await prisma.$executeRaw`UPDATE signing_keys SET retired_at = retired_at - interval '3 days'
      WHERE retired_at IS NOT NULL`
    for (const at of all) {
      await expect.poll(() => statusOf(old, at), DEADLINE).toBe(401)
      expect(await statusOf(fromNew[0] ?? '', at)).toBe(403)
    }
    // The next change removes it; a key that is deleted by hand invalidates its tokens.
    await prisma.$executeRaw`UPDATE signing_keys SET created_at = created_at - interval '31 days'`
    await expect
      .poll(async () => (await issue()).map(kidOf).includes(kidOf(fromNew[0] ?? '')), DEADLINE)
      .toBe(false)
    expect(await prisma.signingKey.count()).toBe(2)
    await prisma.signingKey.deleteMany({ where: { retiredAt: { not: null } } })
    for (const at of all)
      await expect.poll(() => statusOf(fromNew[0] ?? '', at), DEADLINE).toBe(401)
    for (const other of others) await other.stop()
    await fresh.stop()
  })

  test('a public key that is written into the table by hand verifies nothing', async () => {
    const { prisma } = service.database
    await prisma.signingKey.update({
      where: { id: kid },
      data: { publicKey: foreignJwk() as object },
    })
    expect(await statusOf(await sign({}, {}, Promise.resolve(foreign.privateKey)))).toBe(401)
    expect(await statusOf(token)).toBe(403)
  })
})
