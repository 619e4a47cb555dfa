/** The configuration of a process: environment variables, checked once at the start. */
import { networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import { trimTrailing } from '../definition/value.ts'
import type { EgressOptions } from '../outbound/egress.ts'
import { isApiKey, kindOfKey } from '../store/accounts/api-key.ts'
import { type EncryptionKey, parseEncryptionKeys } from '../store/secrets/encryption-key.ts'

// Digits only: other number syntax of JavaScript is more likely a typo.
const count = (min: number, max: number) => {
  const expected = `expected a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,15}$/, expected)
    .transform(Number)
    .pipe(z.number().min(min, expected).max(max, expected))
}

/** Browsers treat http as secure only on the same machine. */
const isPublicUrl = (text: string): boolean => {
  const url = URL.parse(text)
  if (url === null) return false
  const { protocol, hostname, search, hash, username } = url
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
  return (protocol === 'https:' || isLocal) && search + hash + username === ''
}
const PUBLIC_URL_FORM =
  'expected https://api.example.com, without a query; http only for localhost, 127.0.0.1 or [::1]'

const flag = z.enum(['true', 'false']).transform((word) => word === 'true')

/** The error message names the position of a key in the list, never the key. */
const encryptionKeys = z.string().transform((text, context) => {
  try {
    return parseEncryptionKeys(text)
  } catch (error) {
    context.addIssue(error instanceof Error ? error.message : String(error))
    return z.NEVER
  }
})

/** Schemes of OpenTelemetry's OTLP over HTTP. The message does not repeat the URL, which may contain a password. */
const collector = z.url({ protocol: /^https?$/, error: 'expected http://host:4318' }).optional()
const protocol = z
  .literal('http/protobuf', { error: 'expected http/protobuf, the only supported protocol' })
  .optional()
const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

const environment = z.object({
  PORT: count(0, 65_535).default(4000),
  HOST: z.string().min(1).default('127.0.0.1'),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: PUBLIC_URL_FORM })
    .refine(isPublicUrl, { error: PUBLIC_URL_FORM })
    .optional(),
  OPERATOR_PORT: count(0, 65_535).optional(),
  OPERATOR_HOST: z.string().min(1).default('127.0.0.1'),
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
  TRUSTED_DOCUMENTS: z.string().min(1).optional(),
  TRUSTED_DOCUMENTS_ONLY: flag.default(false),
  SANDBOX: flag.optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  LOG_FILE: z.string().min(1).optional(),
  SYNC_INTERVAL_SECONDS: count(1, 86_400).default(15),
  APP_REQUEST_LOG: z.enum(['failures', 'all', 'off']).default('failures'),
  MAX_CREDENTIALS_PER_USER: count(1, 1_000_000).default(100),
  MAX_RECORDS_PER_CREDENTIAL: count(1, 1_000_000_000_000).default(10_000_000),
  MAX_BYTES_PER_CREDENTIAL: count(1_000_000, 999_999_999_999_999).default(20 * 2 ** 30),
  INTEGRATIONS_FILE: z.string().min(1).optional(),
  CHANGE_RETENTION_DAYS: count(1, 3650).default(30),
  RECONCILIATION_INTERVAL_DAYS: count(0, 3650).default(0),
  RATE_LIMIT_PER_MINUTE: count(0, 100_000_000).default(200_000),
  AUTH_FAILURES_PER_MINUTE: count(0, 1_000_000).default(30),
  TRUST_PROXY: count(0, 10).default(0),
  MAX_CONNECTIONS: count(1, 1_000_000).default(20_000),
  MAX_CONNECTIONS_PER_KEY: count(1, 1_000_000).default(15_000),
  ALLOW_PRIVATE_ADDRESSES: flag.default(false),
  // The message does not repeat the URL, which may contain a password.
  EGRESS_PROXY: z
    .url({ protocol: /^https?$/, error: 'expected http://user:password@host:port' })
    .transform((text) => new URL(text))
    .optional(),
  EGRESS_ADDRESS: z
    .union([z.ipv4(), z.ipv6()], { error: 'expected one IP address, such as 203.0.113.7' })
    .optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector,
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol,
  OTEL_SDK_DISABLED: flag.default(false),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).default('otlp'),
  OTEL_TRACES_SAMPLER: z.enum(samplers).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(?:0|1|0?\.\d{1,9}|1\.0{1,9})$/, 'expected a number from 0 to 1')
    .transform(Number)
    .default(1),
  OTEL_BSP_SCHEDULE_DELAY: count(1, 3_600_000).default(5000),
})

/** How traces are sampled. Their collector and resource are configured by variables that OpenTelemetry reads. */
export interface TracingConfig {
  readonly sampler: (typeof samplers)[number]
  /** The share of traces for `traceidratio`, from 0 to 1. */
  readonly ratio: number
  /** Time between two batches of spans. */
  readonly delayMs: number
}

export interface Config {
  /** 0: any free port. */
  readonly port: number
  readonly host: string
  /**
   * The address at which browsers reach the service, without a slash at its end; undefined: not configured. Apps
   * return to it after an OAuth authorization.
   */
  readonly publicUrl: string | undefined
  /** The port of health checks and metrics; undefined: there is none. 0: any free port. */
  readonly operatorPort: number | undefined
  readonly operatorHost: string
  readonly dataDir: string
  /** Undefined: the embedded PostgreSQL under `dataDir`. */
  readonly databaseUrl: string | undefined
  readonly developmentKey: string | undefined
  /** The first key encrypts secrets, every key decrypts them. Undefined: not configured. */
  readonly encryptionKeys: readonly EncryptionKey[] | undefined
  /** Whether the keys may be in a file in `dataDir`: with the embedded database, and outside production. */
  readonly keyFileAllowed: boolean
  /** Lifetime of a user token. */
  readonly userTokenSeconds: number
  /** Whether the service runs for development, not in production. */
  readonly isDevelopment: boolean
  /** Whether GraphiQL is served and introspection needs no key. */
  readonly graphiql: boolean
  /** The file of trusted documents; undefined: there are none. */
  readonly trustedDocuments: string | undefined
  /** Whether all other documents are rejected. */
  readonly trustedDocumentsOnly: boolean
  /** Whether the sandbox app is available, with an example user. */
  readonly sandbox: boolean
  readonly logLevel: string
  /** Undefined: standard output. */
  readonly logFile: string | undefined
  readonly syncIntervalMs: number
  /** Which requests to apps are logged in the database. */
  readonly appRequestLog: 'failures' | 'all' | 'off'
  /** Credentials that one end user may have at a time. */
  readonly maxCredentialsPerUser: number
  /** Records that may be stored for one credential, including those that were deleted in the app. */
  readonly maxRecordsPerCredential: number
  /** Bytes of JSON that may be stored for one credential: its records, and their changes in the change log. */
  readonly maxBytesPerCredential: number
  /** Path of a JSON file with integrations; undefined: only those defined over the API. */
  readonly integrationsFile: string | undefined
  /** How long the change log keeps a change. */
  readonly changeRetentionDays: number
  /** From one scheduled reconciliation of a resource to the next; 0: none is scheduled. */
  readonly reconciliationIntervalDays: number
  /** Requests of one caller that a process accepts in a minute; 0: no limit. */
  readonly requestsPerMinute: number
  /** Failed authentications of one address that a process accepts in a minute; 0: no limit. */
  readonly authFailuresPerMinute: number
  /** Number of proxies in front of the service. Each appends to X-Forwarded-For. */
  readonly trustedProxies: number
  /** Sockets and event streams that one process holds open. */
  readonly maxConnections: number
  /** Sockets and event streams that one process holds open for one API key. */
  readonly maxConnectionsPerKey: number
  /** The route of connections to apps, webhooks and workflow addresses, and the addresses that are allowed. */
  readonly egress: EgressOptions
  /** The static address that apps see connections from, shown to integrators; undefined: none is published. */
  readonly egressAddress: string | undefined
  /** Undefined: nothing is traced. */
  readonly tracing: TracingConfig | undefined
}

/** Whether an address belongs to this machine, not to a NAT gateway or a proxy. */
const isLocalAddress = (address: string): boolean =>
  Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some((own) => own.address === address),
  )

const tracingOf = (values: z.infer<typeof environment>): TracingConfig | undefined => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = values
  const isOff = values.OTEL_SDK_DISABLED || values.OTEL_TRACES_EXPORTER === 'none'
  if (isOff || !(OTEL_EXPORTER_OTLP_ENDPOINT ?? OTEL_EXPORTER_OTLP_TRACES_ENDPOINT))
    return undefined
  return {
    sampler: values.OTEL_TRACES_SAMPLER,
    ratio: values.OTEL_TRACES_SAMPLER_ARG,
    delayMs: values.OTEL_BSP_SCHEDULE_DELAY,
  }
}

/**
 * Reads the configuration. An empty variable counts as unset, as container settings often use it.
 * @throws Error naming each invalid variable and the expected value
 */
export const readConfig = (variables: Readonly<Record<string, string | undefined>>): Config => {
  const input = Object.keys(environment.shape).map((name) => [name, variables[name] || undefined])
  const parsed = environment.safeParse(Object.fromEntries(input))
  if (!parsed.success)
    throw new Error(
      parsed.error.issues
        .map((issue) => `${issue.path.join('.')}: ${issue.message.replace(/^Invalid input: /, '')}`)
        .join('\n'),
    )
  const values = parsed.data
  if (values.TRUSTED_DOCUMENTS_ONLY && values.TRUSTED_DOCUMENTS === undefined)
    throw new Error('TRUSTED_DOCUMENTS_ONLY: expected a file in TRUSTED_DOCUMENTS')
  const dataDir = resolve(values.DATA_DIR)
  return {
    port: values.PORT,
    host: values.HOST,
    publicUrl: values.PUBLIC_URL && trimTrailing(values.PUBLIC_URL, '/'),
    operatorPort: values.OPERATOR_PORT,
    operatorHost: values.OPERATOR_HOST,
    dataDir,
    databaseUrl: values.DATABASE_URL,
    developmentKey: values.TRUNKLINE_DEV_API_KEY,
    encryptionKeys: values.TRUNKLINE_ENCRYPTION_KEYS,
    // Machines that share a production database would each create a key of their own.
    keyFileAllowed: values.DATABASE_URL === undefined || values.NODE_ENV !== 'production',
    userTokenSeconds: values.USER_TOKEN_TTL_SECONDS,
    isDevelopment: values.NODE_ENV !== 'production',
    graphiql: values.GRAPHIQL ?? values.NODE_ENV !== 'production',
    trustedDocuments: values.TRUSTED_DOCUMENTS,
    trustedDocumentsOnly: values.TRUSTED_DOCUMENTS_ONLY,
    sandbox: values.SANDBOX ?? values.NODE_ENV !== 'production',
    logLevel: values.LOG_LEVEL,
    // An embedded start is interactive: standard output shows the addresses, and the log is next to the data.
    logFile:
      values.LOG_FILE ??
      (values.DATABASE_URL === undefined ? resolve(dataDir, 'trunkline.log') : undefined),
    syncIntervalMs: values.SYNC_INTERVAL_SECONDS * 1000,
    appRequestLog: values.APP_REQUEST_LOG,
    maxCredentialsPerUser: values.MAX_CREDENTIALS_PER_USER,
    maxRecordsPerCredential: values.MAX_RECORDS_PER_CREDENTIAL,
    maxBytesPerCredential: values.MAX_BYTES_PER_CREDENTIAL,
    integrationsFile: values.INTEGRATIONS_FILE,
    changeRetentionDays: values.CHANGE_RETENTION_DAYS,
    reconciliationIntervalDays: values.RECONCILIATION_INTERVAL_DAYS,
    requestsPerMinute: values.RATE_LIMIT_PER_MINUTE,
    authFailuresPerMinute: values.AUTH_FAILURES_PER_MINUTE,
    trustedProxies: values.TRUST_PROXY,
    maxConnections: values.MAX_CONNECTIONS,
    maxConnectionsPerKey: values.MAX_CONNECTIONS_PER_KEY,
    egress: {
      allowPrivateAddresses: values.ALLOW_PRIVATE_ADDRESSES,
      proxy: values.EGRESS_PROXY,
      // With a proxy, the address belongs to the proxy.
      localAddress:
        values.EGRESS_PROXY === undefined &&
        values.EGRESS_ADDRESS !== undefined &&
        isLocalAddress(values.EGRESS_ADDRESS)
          ? values.EGRESS_ADDRESS
          : undefined,
    },
    egressAddress: values.EGRESS_ADDRESS,
    tracing: tracingOf(values),
  }
}
