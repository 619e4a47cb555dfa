/** What the operator configures: environment variables, checked once at the start. */
import { resolve } from 'node:path'
import { z } from 'zod'
import { isApiKey, kindOfKey } from './api-key.ts'
import { type EncryptionKey, parseEncryptionKeys } from './encryption-key.ts'

// Digits alone: what else JavaScript takes for a number is more likely a slip.
const count = (min: number, max: number) => {
  const expected = `expected a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,15}$/, expected)
    .transform(Number)
    .pipe(z.number().min(min, expected).max(max, expected))
}

const flag = z.enum(['true', 'false']).transform((word) => word === 'true')

/** The message names no key, only its place in the list. */
const encryptionKeys = z.string().transform((text, context) => {
  try {
    return parseEncryptionKeys(text)
  } catch (error) {
    context.addIssue(error instanceof Error ? error.message : String(error))
    return z.NEVER
  }
})

const environment = z.object({
  PORT: count(0, 65_535).default(4000),
  HOST: z.string().min(1).default('127.0.0.1'),
  DATA_DIR: z.string().min(1).default('.trunkline'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'expected postgres://user:password@host/database' })
    .optional(),
  TRUNKLINE_DEV_API_KEY: z
    .string()
    .refine((key) => isApiKey(key) && kindOfKey(key) === 'development', {
      error: 'expected tl_dev_ and 48 hex digits',
    })
    .optional(),
  TRUNKLINE_ENCRYPTION_KEYS: encryptionKeys.optional(),
  USER_TOKEN_TTL_SECONDS: count(60, 86_400).default(3600),
  NODE_ENV: z.enum(['development', 'production', 'test']).default('development'),
  GRAPHIQL: flag.optional(),
  SANDBOX: flag.optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  LOG_FILE: z.string().min(1).optional(),
  SYNC_INTERVAL_SECONDS: count(1, 86_400).default(15),
  INTEGRATIONS_FILE: z.string().min(1).optional(),
  CHANGE_RETENTION_DAYS: count(1, 3650).default(30),
  RATE_LIMIT_PER_MINUTE: count(0, 100_000_000).default(200_000),
  AUTH_FAILURES_PER_MINUTE: count(0, 1_000_000).default(30),
  TRUST_PROXY: count(0, 10).default(0),
  MAX_CONNECTIONS: count(1, 1_000_000).default(20_000),
  MAX_CONNECTIONS_PER_KEY: count(1, 1_000_000).default(15_000),
  ALLOW_PRIVATE_ADDRESSES: flag.default(false),
})

export interface Config {
  /** 0: any free port. */
  readonly port: number
  readonly host: string
  readonly dataDir: string
  /** Undefined: the embedded PostgreSQL under `dataDir`. */
  readonly databaseUrl: string | undefined
  readonly developmentKey: string | undefined
  /** The first seals what is secret, all open. Undefined: none were given. */
  readonly encryptionKeys: readonly EncryptionKey[] | undefined
  /** A file in `dataDir` may hold them: the database is beside it, or nothing of value is in it. */
  readonly keyFileAllowed: boolean
  /** From the issue of a user token to its end. */
  readonly userTokenSeconds: number
  /** GraphiQL is served and a schema can be introspected without a key. */
  readonly graphiql: boolean
  /** The sandbox app is there, with an example user. */
  readonly sandbox: boolean
  readonly logLevel: string
  /** Undefined: standard output. */
  readonly logFile: string | undefined
  readonly syncIntervalMs: number
  /** What end users can install, as JSON; undefined: only what the API defines. */
  readonly integrationsFile: string | undefined
  /** How long the change log keeps a change. */
  readonly changeRetentionDays: number
  /** Of one caller, to one process; 0: no limit. */
  readonly requestsPerMinute: number
  /** Of one address, to one process; 0: no limit. */
  readonly authFailuresPerMinute: number
  /** How many proxies stand before the service, each of which adds to X-Forwarded-For. */
  readonly trustedProxies: number
  /** Sockets and streams of events that one process holds open. */
  readonly maxConnections: number
  /** How many of them one API key may have. */
  readonly maxConnectionsPerKey: number
  /** Apps at private, loopback and link-local addresses may be called. */
  readonly allowPrivateAddresses: boolean
}

/**
 * An empty variable counts as unset: so do a container's settings say that there is none.
 * @throws Error naming each variable that is wrong and what was expected
 */
export const readConfig = (variables: Readonly<Record<string, string | undefined>>): Config => {
  const given = Object.keys(environment.shape).map((name) => [name, variables[name] || undefined])
  const parsed = environment.safeParse(Object.fromEntries(given))
  if (!parsed.success)
    throw new Error(
      parsed.error.issues
        .map((issue) => `${issue.path.join('.')}: ${issue.message.replace(/^Invalid input: /, '')}`)
        .join('\n'),
    )
  const values = parsed.data
  const dataDir = resolve(values.DATA_DIR)
  return {
    port: values.PORT,
    host: values.HOST,
    dataDir,
    databaseUrl: values.DATABASE_URL,
    developmentKey: values.TRUNKLINE_DEV_API_KEY,
    encryptionKeys: values.TRUNKLINE_ENCRYPTION_KEYS,
    // A production database may be shared by machines, each of which would make a key of its own.
    keyFileAllowed: values.DATABASE_URL === undefined || values.NODE_ENV !== 'production',
    userTokenSeconds: values.USER_TOKEN_TTL_SECONDS,
    graphiql: values.GRAPHIQL ?? values.NODE_ENV !== 'production',
    sandbox: values.SANDBOX ?? values.NODE_ENV !== 'production',
    logLevel: values.LOG_LEVEL,
    // The embedded start is for people: standard output holds the addresses, the log is beside the data.
    logFile:
      values.LOG_FILE ??
      (values.DATABASE_URL === undefined ? resolve(dataDir, 'trunkline.log') : undefined),
    syncIntervalMs: values.SYNC_INTERVAL_SECONDS * 1000,
    integrationsFile: values.INTEGRATIONS_FILE,
    changeRetentionDays: values.CHANGE_RETENTION_DAYS,
    requestsPerMinute: values.RATE_LIMIT_PER_MINUTE,
    authFailuresPerMinute: values.AUTH_FAILURES_PER_MINUTE,
    trustedProxies: values.TRUST_PROXY,
    maxConnections: values.MAX_CONNECTIONS,
    maxConnectionsPerKey: values.MAX_CONNECTIONS_PER_KEY,
    allowPrivateAddresses: values.ALLOW_PRIVATE_ADDRESSES,
  }
}
