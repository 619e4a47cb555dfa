/**
 * Key pairs that sign user tokens. One pair signs for 30 days; then a new one replaces it, and the old one
 * verifies until its last token has expired. All processes share the pairs and are notified of every change. To
 * revoke all tokens of a key immediately, delete its row.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from 'node:crypto'
import type { SigningKey } from '@prisma/client'
import type { Clock } from '../database/clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { PgListener } from '../database/pg-listener.ts'
import { intervalSql } from '../database/time-sql.ts'
import type { Vault } from './vault.ts'

export interface SigningPair {
  readonly id: string
  /** Ed25519. */
  readonly privateKey: KeyObject
}

export interface SigningKeys {
  /** The pair that signs now. Created if none exists or the last one is too old. */
  current(): Promise<SigningPair>
  /** The public key of a pair that still verifies; undefined: unknown or expired. */
  verifying(id: string): Promise<KeyObject | undefined>
}

export interface SigningKeysOptions {
  readonly database: Database
  readonly vault: Vault
  readonly pgListener: PgListener
  readonly clock: Clock
}

const CHANNEL = 'trunkline_signing_keys' // notified by the trigger on signing_keys
const DAY_MS = 86_400_000
const SIGNS_FOR_MS = 30 * DAY_MS
/** Maximum lifetime of a token. A retired pair verifies for twice as long, because clocks differ. */
export const MAX_TOKEN_LIFETIME_MS = DAY_MS
const VERIFIES_FOR_MS = 2 * MAX_TOKEN_LIFETIME_MS
// Minimum time between two reloads that tokens with unknown key ids cause.
const RELOAD_MS = 1000
const LOCK = 72707370 // the id after the migrations' lock

interface Pair extends SigningPair {
  readonly publicKey: KeyObject
  readonly createdAt: Date
  readonly retiredAt: Date | null
}

/** Replaces the signing pair with a new one, unless another process has just done so. */
const replacePair = async (transaction: Transaction, vault: Vault): Promise<void> => {
  await transaction.prisma.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK}::bigint)`
  const [recent] = await transaction.prisma.$queryRaw<unknown[]>`
    SELECT 1 FROM signing_keys
    WHERE retired_at IS NULL AND created_at > clock_timestamp() - ${intervalSql(SIGNS_FOR_MS)}`
  if (recent !== undefined) return
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const id = randomUUID()
  const plain = JSON.stringify(privateKey.export({ format: 'jwk' }))
  await transaction.prisma.$executeRaw`
    DELETE FROM signing_keys WHERE retired_at < clock_timestamp() - ${intervalSql(VERIFIES_FOR_MS)}`
  await transaction.prisma.$executeRaw`
    UPDATE signing_keys SET retired_at = clock_timestamp() WHERE retired_at IS NULL`
  await transaction.prisma.$executeRaw`
    INSERT INTO signing_keys (id, public_key, sealed_key, created_at)
    VALUES (${id}, ${JSON.stringify(publicKey.export({ format: 'jwk' }))}::jsonb,
      ${vault.seal({ kind: 'signing-key', id }, plain)}, clock_timestamp())`
}

export const createSigningKeys = ({
  database,
  vault,
  pgListener,
  clock,
}: SigningKeysOptions): SigningKeys => {
  const { prisma } = database
  const ageMs = (since: Date): number => clock.nowMs() - since.getTime()
  let pairs: ReadonlyMap<string, Pair> = new Map()
  // Number of notifications so far, and their number when `pairs` was read.
  let notifications = 0
  let pairsAsOf = -1
  let readAt = Number.NEGATIVE_INFINITY
  let reading: { readonly asOf: number; readonly end: Promise<void> } | undefined

  const onNotify = (): void => {
    notifications += 1
  }
  pgListener.on(CHANNEL, onNotify, onNotify)

  const toPair = ({ id, sealedKey, createdAt, retiredAt }: SigningKey): Pair => {
    // The public key is derived from the encrypted private key, so write access to the table cannot add a key.
    const jwk = JSON.parse(vault.open({ kind: 'signing-key', id }, sealedKey))
    const privateKey = createPrivateKey({ key: jwk, format: 'jwk' })
    return { id, privateKey, publicKey: createPublicKey(privateKey), createdAt, retiredAt }
  }

  const read = async (asOf: number): Promise<void> => {
    const rows = await prisma.signingKey.findMany({ orderBy: { createdAt: 'desc' } })
    // Discard the result if a later read has finished first.
    if (asOf < pairsAsOf) return
    pairs = new Map(rows.map((row) => [row.id, toPair(row)]))
    pairsAsOf = asOf
  }

  /** Reads the keys, once for all concurrent callers. */
  const reload = (): Promise<void> => {
    if (reading?.asOf === notifications) return reading.end
    readAt = performance.now()
    const started = {
      asOf: notifications,
      end: read(notifications).finally(() => {
        if (reading === started) reading = undefined
      }),
    }
    reading = started
    return started.end
  }

  const newest = (): Pair | undefined =>
    [...pairs.values()].find(({ retiredAt }) => retiredAt === null)

  return {
    current: async () => {
      if (pairsAsOf !== notifications) await reload()
      const loaded = newest()
      if (loaded !== undefined && ageMs(loaded.createdAt) < SIGNS_FOR_MS) return loaded
      await database.transaction((transaction) => replacePair(transaction, vault))
      onNotify()
      await reload()
      const pair = newest()
      if (pair === undefined)
        throw new Error('The new signing key was deleted before it could be read.')
      return pair
    },
    verifying: async (id) => {
      if (pairsAsOf !== notifications) await reload()
      // The notification may be lost or not have arrived yet.
      else if (!pairs.has(id) && performance.now() - readAt > RELOAD_MS) await reload()
      const pair = pairs.get(id)
      const isExpired = pair?.retiredAt != null && ageMs(pair.retiredAt) > VERIFIES_FOR_MS
      return isExpired ? undefined : pair?.publicKey
    },
  }
}
