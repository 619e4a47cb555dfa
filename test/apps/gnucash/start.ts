/** Starts the real GnuCash: the REST server of Debian's python3-gnucash, on a new book. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../support/free-port.ts'

// The bindings are installed for Debian's own Python.
const PYTHON = '/usr/bin/python3'
const NEEDED = [
  PYTHON,
  '/usr/share/doc/python3-gnucash/examples/rest-api/gnucash_rest.py',
  '/usr/lib/python3/dist-packages/flask/__init__.py',
]
const DEADLINE_MS = 30_000

/** The reason why the real GnuCash cannot start here, in one line; undefined if it can. */
export const gnucashMissing = (): string | undefined =>
  NEEDED.every((path) => existsSync(path))
    ? undefined
    : 'GnuCash is not installed: apt-get install gnucash python3-gnucash python3-flask'

/** A running REST server. */
export interface GnuCash {
  readonly url: string
  /** Sends a request with form parameters, and returns the parsed response. */
  send(
    method: string,
    path: string,
    form?: Readonly<Record<string, string>>,
    // biome-ignore lint/suspicious/noExplicitAny: the tests know the fields of the responses
  ): Promise<{ readonly status: number; readonly body: any }>
  stop(): Promise<void>
}

/** Starts the server on a new book. */
export const startGnuCash = async (): Promise<GnuCash> => {
  const missing = gnucashMissing()
  if (missing) throw new Error(missing)
  const folder = await mkdtemp(join(tmpdir(), 'gnucash-'))
  const port = await freePort()
  const script = fileURLToPath(new URL('serve.py', import.meta.url))
  const child = spawn(PYTHON, [script, join(folder, 'book'), String(port)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, HOME: folder },
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4_000)
  })
  const exited = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`

  const send: GnuCash['send'] = async (method, path, form) => {
    const response = await fetch(url + path, {
      method,
      ...(form && { body: new URLSearchParams(form) }),
    })
    const text = await response.text()
    if (response.status >= 500) throw new Error(`${method} ${path}: ${errors}`)
    return { status: response.status, body: text.startsWith('<') ? text : JSON.parse(text) }
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await exited
    await rm(folder, { recursive: true })
  }

  const deadline = performance.now() + DEADLINE_MS
  for (;;) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await stop()
      throw new Error(`GnuCash did not start: ${errors}`)
    }
    try {
      await send('GET', '/vendors')
      return { url, send, stop }
    } catch {
      await wait(50)
    }
  }
}
