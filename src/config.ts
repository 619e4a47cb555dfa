/** What the operator configures: environment variables, checked once at the start. */
import { resolve } from 'node:path'
import { z } from 'zod'
import { isApiKey, kindOfKey } from './api-key.ts'

const flag = z.enum(['true', 'false']).transform((word) => word === 'true')

const environment = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(4000),
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
  NODE_ENV: z.string().default('development'),
  GRAPHIQL: flag.optional(),
  SANDBOX: flag.optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  LOG_FILE: z.string().min(1).optional(),
  SYNC_INTERVAL_SECONDS: z.coerce.number().min(1).max(86_400).default(15),
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
  /** GraphiQL is served and a schema can be introspected without a key. */
  readonly graphiql: boolean
  /** The sandbox app is there, with an example user. */
  readonly sandbox: boolean
  readonly logLevel: string
  /** Undefined: standard output. */
  readonly logFile: string | undefined
  readonly syncIntervalMs: number
  /** Apps at private, loopback and link-local addresses may be called. */
  readonly allowPrivateAddresses: boolean
}

/** @throws Error naming each variable that is wrong and what was expected */
export const readConfig = (variables: Readonly<Record<string, string | undefined>>): Config => {
  const parsed = environment.safeParse(variables)
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
    graphiql: values.GRAPHIQL ?? values.NODE_ENV !== 'production',
    sandbox: values.SANDBOX ?? values.NODE_ENV !== 'production',
    logLevel: values.LOG_LEVEL,
    // The embedded start is for people: standard output holds the addresses, the log is beside the data.
    logFile:
      values.LOG_FILE ??
      (values.DATABASE_URL === undefined ? resolve(dataDir, 'trunkline.log') : undefined),
    syncIntervalMs: values.SYNC_INTERVAL_SECONDS * 1000,
    allowPrivateAddresses: values.ALLOW_PRIVATE_ADDRESSES,
  }
}
