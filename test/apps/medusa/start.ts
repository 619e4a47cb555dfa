/** Starts the real Medusa with an empty shop, on a new database of the PostgreSQL of the tests. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createEmptyDatabase } from '../../support/database.ts'
import { freePort } from '../../support/free-port.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const CLI = `${FOLDER}node_modules/@medusajs/cli/cli.js`
const DEADLINE_MS = 300_000
const EMAIL = 'admin@shop.example'
const PASSWORD = 'harbour-light'

// biome-ignore lint/suspicious/noExplicitAny: the tests know the fields of the responses
type Loose = any

/** The reason why the real Medusa cannot start here, in one line; undefined if it can. */
export const medusaMissing = (): string | undefined =>
  existsSync(CLI) ? undefined : 'Medusa is not installed: npm ci --prefix test/apps/medusa'

/** A running shop. */
export interface Medusa {
  readonly url: string
  /** A secret key of the Admin API. */
  readonly apiKey: string
  readonly user: { readonly email: string; readonly password: string }
  /**
   * Sends a request to the Admin API: `admin('POST', 'customers', { email })`. @throws Error unless it succeeds
   */
  admin(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Loose>
  stop(): Promise<void>
}

/** Starts a command of Medusa's CLI in the folder of the shop. */
const startCommand = (databaseUrl: string, command: readonly string[]) => {
  const child = spawn(process.execPath, [CLI, ...command], {
    cwd: `${FOLDER}project`,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TMPDIR: process.env.TMPDIR,
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      MEDUSA_DISABLE_TELEMETRY: 'true',
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4_000)
    })
  const exited = once(child, 'exit')
  return { child, exited, output: () => output }
}

/** @throws Error with the end of the output if the command fails */
const run = async (databaseUrl: string, command: readonly string[]): Promise<void> => {
  const { exited, output } = startCommand(databaseUrl, command)
  const [code] = await exited
  if (code !== 0) throw new Error(`medusa ${command[0]} ended with ${code}: ${output()}`)
}

const send = async (
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<Loose> => {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`)
  return JSON.parse(text)
}

const createApiKey = async (url: string): Promise<string> => {
  const user = { email: EMAIL, password: PASSWORD }
  const { token } = await send(`${url}/auth/user/emailpass`, 'POST', {}, user)
  const headers = { authorization: `Bearer ${token}` }
  const key = { title: 'Trunkline', type: 'secret' }
  return (await send(`${url}/admin/api-keys`, 'POST', headers, key)).api_key.token
}

/** Starts an empty shop. Takes half a minute. */
export const startMedusa = async (): Promise<Medusa> => {
  const missing = medusaMissing()
  if (missing) throw new Error(missing)
  const database = await createEmptyDatabase()
  await run(database.url, ['db:migrate'])
  await run(database.url, ['user', '-e', EMAIL, '-p', PASSWORD])
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { child, exited, output } = startCommand(database.url, [
    'start',
    ...['-p', String(port), '-H', '127.0.0.1'],
  ])
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
    await database.drop()
  }
  const deadline = Date.now() + DEADLINE_MS
  for (;;) {
    const response = await fetch(`${url}/health`).catch(() => undefined)
    if (response?.ok) break
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop()
      throw new Error(`Medusa did not start: ${output()}`)
    }
    await wait(200)
  }
  const apiKey = await createApiKey(url)
  const basic = { authorization: `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}` }
  return {
    url,
    apiKey,
    user: { email: EMAIL, password: PASSWORD },
    admin: (method, path, body) => send(`${url}/admin/${path}`, method, basic, body),
    stop,
  }
}
