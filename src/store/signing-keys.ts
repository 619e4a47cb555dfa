/**
 * The key pairs that sign user tokens. One signs until it is old; then another takes over, and the old one
 * verifies until the last token that it signed has expired. All processes share them, and are told of
 * every change. To end all tokens of a key at once, delete its row.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from 'node:crypto'
import type { SigningKey } from '@prisma/client'
import type { Database, Transaction } from './database.ts'
import type { Notices } from './notices.ts'
import { lasting } from './time-sql.ts'
import type { Vault } from './vault.ts'

export interface SigningPair {
  readonly id: string
  /** Ed25519. */
  readonly privateKey: KeyObject
}

export interface SigningKeys {
  /** The pair that signs now; made, if there is none or the last is old. */
  current(): Promise<SigningPair>
  /** The public key of a pair of ours that still verifies. */
  verifying(id: string): Promise<KeyObject | undefined>
}

export interface SigningKeysOptions {
  readonly database: Database
  readonly vault: Vault
  readonly notices: Notices
}

const CHANNEL = 'trunkline_signing_keys' // announced by the trigger on signing_keys
const DAY_MS = 86_400_000
const SIGNS_FOR_MS = 30 * DAY_MS
/** The longest that a token may live: a retired pair verifies twice as long, for clocks that differ. */
export const MAX_TOKEN_LIFETIME_MS = DAY_MS
const VERIFIES_FOR_MS = 2 * MAX_TOKEN_LIFETIME_MS
// Tokens with invented key ids have the keys read again this often at most, however many they are.
const RELOAD_MS = 1000
const LOCK = 72707370 // beside the one of the migrations

interface Pair extends SigningPair {
  readonly publicKey: KeyObject
  readonly createdAt: Date
  readonly retiredAt: Date | null
}

const isYoung = ({ createdAt, retiredAt }: Pick<Pair, 'createdAt' | 'retiredAt'>): boolean =>
  retiredAt === null && Date.now() - createdAt.getTime() < SIGNS_FOR_MS

/** Puts a new pair in the place of the old, unless another process has just done so. */
const replacePair = async (transaction: Transaction, vault: Vault): Promise<void> => {
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${LOCK}::bigint)`
  const [young] = await transaction.$queryRaw<unknown[]>`
    SELECT 1 FROM signing_keys
    WHERE retired_at IS NULL AND created_at > clock_timestamp() - ${lasting(SIGNS_FOR_MS)}`
  if (young !== undefined) return
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const id = randomUUID()
  const plain = JSON.stringify(privateKey.export({ format: 'jwk' }))
  await transaction.$executeRaw`
    DELETE FROM signing_keys WHERE retired_at < clock_timestamp() - ${lasting(VERIFIES_FOR_MS)}`
  await transaction.$executeRaw`
    UPDATE signing_keys SET retired_at = clock_timestamp() WHERE retired_at IS NULL`
  await transaction.$executeRaw`
    INSERT INTO signing_keys (id, public_key, sealed_key, created_at)
    VALUES (${id}, ${JSON.stringify(publicKey.export({ format: 'jwk' }))}::jsonb,
      ${vault.seal({ kind: 'signing-key', id }, plain)}, clock_timestamp())`
}

export const createSigningKeys = ({
  database,
  vault,
  notices,
}: SigningKeysOptions): SigningKeys => {
  const { prisma } = database
  let pairs: ReadonlyMap<string, Pair> = new Map()
  // Announcements heard, and how many had been when `pairs` were read.
  let heard = 0
  let pairsAsOf = -1
  let readAt = Number.NEGATIVE_INFINITY
  let reading: { readonly asOf: number; readonly end: Promise<void> } | undefined

  const hear = (): void => {
    heard += 1
  }
  notices.on(CHANNEL, hear, hear)

  const toPair = ({ id, sealedKey, createdAt, retiredAt }: SigningKey): Pair => {
    // The public half is taken from the sealed one: whoever can write to the table cannot add a key.
    const jwk = JSON.parse(vault.open({ kind: 'signing-key', id }, sealedKey))
    const privateKey = createPrivateKey({ key: jwk, format: 'jwk' })
    return { id, privateKey, publicKey: createPublicKey(privateKey), createdAt, retiredAt }
  }

  const read = async (asOf: number): Promise<void> => {
    const rows = await prisma.signingKey.findMany({ orderBy: { createdAt: 'desc' } })
    // An answer that was overtaken by a later one is older than what is known.
    if (asOf < pairsAsOf) return
    pairs = new Map(rows.map((row) => [row.id, toPair(row)]))
    pairsAsOf = asOf
  }

  /** Reads the keys: once for all that ask at the same time. */
  const reload = (): Promise<void> => {
    if (reading?.asOf === heard) return reading.end
    readAt = performance.now()
    const started = {
      asOf: heard,
      end: read(heard).finally(() => {
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
      if (pairsAsOf !== heard) await reload()
      const known = newest()
      if (known !== undefined && isYoung(known)) return known
      await prisma.$transaction((transaction) => replacePair(transaction, vault))
      hear()
      await reload()
      const pair = newest()
      if (pair === undefined) throw new Error('The signing key vanished while it was made.')
      return pair
    },
    verifying: async (id) => {
      if (pairsAsOf !== heard) await reload()
      // Where announcements are not heard, and in the instant before one is.
      else if (!pairs.has(id) && performance.now() - readAt > RELOAD_MS) await reload()
      const pair = pairs.get(id)
      const isOver =
        pair?.retiredAt != null && Date.now() - pair.retiredAt.getTime() > VERIFIES_FOR_MS
      return isOver ? undefined : pair?.publicKey
    },
  }
}
