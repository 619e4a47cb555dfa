import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sendOperation, type Variables } from './operation.ts'

const READY_DEADLINE_MS = 60_000
const STOP_DEADLINE_MS = 6_000 // the server gives up by itself after 5 s
const PACKAGES = ['@vendure/core', 'sql.js']

/** A running Vendure with its own state in memory. */
export interface Vendure {
  /** Origin without a path, above `/admin-api` and `/shop-api`. */
  readonly url: string
  /** A superadministrator's key, for the header `vendure-api-key`. */
  readonly apiKey: string
  /** Runs one operation of the Admin API with the key. @throws VendureError */
  admin<Data>(query: string, variables?: Variables): Promise<Data>
  stop(): Promise<void>
}

/** The reason why the real Vendure cannot start here, in one line; undefined if it can. */
export function vendureMissing(): string | undefined {
  const isInstalled = (name: string) => existsSync(pathTo(`node_modules/${name}/package.json`))
  if (PACKAGES.every(isInstalled)) return undefined
  return 'Vendure is not installed: npm ci --prefix test/apps/vendure'
}

/** Starts the real Vendure in a child process and waits until it serves (about 3 s). */
export async function startVendure(): Promise<Vendure> {
  const missing = vendureMissing()
  if (missing) throw new Error(missing)
  const { ready, stop } = startServer()
  const { url, apiKey } = await ready
  const headers = { 'vendure-api-key': apiKey }
  return {
    url,
    apiKey,
    async admin<Data>(query: string, variables?: Variables) {
      const { data } = await sendOperation({ url: `${url}/admin-api`, query, variables, headers })
      return data as Data // the caller wrote the query, so knows its shape
    },
    stop,
  }
}

function startServer() {
  const child = spawn(
    process.execPath,
    // A small young generation keeps it at 300 MB instead of 400 and costs nothing.
    ['--max-semi-space-size=4', pathTo('server.mjs')],
    // A minimal environment, without vitest's NODE_OPTIONS and coverage.
    { stdio: 'pipe', env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR } },
  )
  let errorOutput = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorOutput = (errorOutput + text).slice(-4_000)
  })

  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const ready = new Promise<{ url: string; apiKey: string }>((resolve, reject) => {
    const deadline = setTimeout(
      () => fail(`was not ready in ${READY_DEADLINE_MS} ms`),
      READY_DEADLINE_MS,
    )
    const fail = (what: string) => {
      clearTimeout(deadline)
      child.kill('SIGKILL')
      reject(new Error(`Vendure ${what}. ${errorOutput}`))
    }
    child.once('error', (error) => fail(`could not be started: ${error.message}`))
    child.once('close', (code, signal) => fail(`ended (${signal ?? code}) before it was ready`))
    createInterface({ input: child.stdout }).once('line', (line) => {
      clearTimeout(deadline)
      resolve(JSON.parse(line)) // server.mjs prints nothing else
    })
  })

  const stop = async () => {
    const deadline = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS)
    child.kill('SIGTERM')
    await exited
    clearTimeout(deadline)
  }
  return { ready, stop }
}

function pathTo(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url))
}
