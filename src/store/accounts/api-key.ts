/** API keys: `tl_dev_` or `tl_prod_` and 48 hex digits, stored as a hash. */
import { hash, randomBytes } from 'node:crypto'

export type EnvironmentKind = 'development' | 'production'

const KEY = /^tl_(dev|prod)_[0-9a-f]{48}$/

/** Whether the text has the form of a key. */
export const isApiKey = (text: string): boolean => KEY.test(text)

/** The environment kind of a key, from its prefix. */
export const kindOfKey = (key: string): EnvironmentKind =>
  key.startsWith('tl_dev_') ? 'development' : 'production'

/** Generates a key with 192 random bits. */
export const generateApiKey = (kind: EnvironmentKind): string =>
  `tl_${kind === 'development' ? 'dev' : 'prod'}_${randomBytes(24).toString('hex')}`

/** The hash of a key: SHA-256, hex. A key cannot be guessed, so a fast hash is enough. */
export const hashApiKey = (key: string): string => hash('sha256', key, 'hex')
