/** The service as an operator runs it: one process per role, on a shared database. */
import { type ChildProcess, type ForkOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { generateApiKey } from '../../src/store/accounts/api-key.ts'
import { TEST_KEYS } from '../support/vault.ts'

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

export interface ServiceProcess {
  /** `http://127.0.0.1:…`; empty for a worker. */
  readonly address: string
  /** The exit code or signal; undefined while it runs. */
  ended(): string | undefined
  /** Sends a signal and waits for the exit. @returns the exit code or the signal */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<string>
}

export type Services = Awaited<ReturnType<typeof openServices>>

/** Processes on the database of `url` that share one key. `cli`: the program to start. */
export const openServices = async (url: string, cli = CLI) => {
  const key = generateApiKey('development')
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-services-'))
  const running = new Set<ChildProcess>()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

  const outcomeOf = ({ exitCode, signalCode }: ChildProcess): string | undefined =>
    exitCode === null && signalCode === null ? undefined : String(signalCode ?? exitCode)

  const endOf = async (child: ChildProcess, signal: NodeJS.Signals): Promise<string> => {
    if (outcomeOf(child) === undefined) {
      const exited = once(child, 'exit')
      child.kill(signal)
      await exited
    }
    return String(outcomeOf(child))
  }

  return {
    key,
    /**
     * Starts a process of a role, and waits until it reports that it is ready.
     * @param host settings of the simulated host
     */
    start: async (
      role: 'all' | 'api' | 'worker',
      host: Pick<ForkOptions, 'execArgv' | 'env'> = {},
    ): Promise<ServiceProcess> => {
      const args = [...(host.execArgv ?? []), cli, 'serve', '--role', role]
      const child = spawn(process.execPath, args, {
        env: {
          ...process.env,
          ...host.env,
          DATABASE_URL: url,
          TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS,
          PORT: '0',
          TRUNKLINE_DEV_API_KEY: key,
          ALLOW_PRIVATE_ADDRESSES: 'true',
          LOG_LEVEL: 'silent',
          DATA_DIR: folder,
          SYNC_INTERVAL_SECONDS: '5',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      running.add(child)
      child.once('exit', () => running.delete(child))
      let output = ''
      await new Promise<void>((resolve, reject) => {
        child.stdout.on('data', (chunk) => {
          output += chunk
          if (/ curl |is running\./.test(output)) resolve()
        })
        child.once('exit', (code) => reject(new Error(`the ${role} exited with ${code}`)))
      })
      return {
        address: /REST +(\S+)\/2024/.exec(output)?.[1] ?? '',
        ended: () => outcomeOf(child),
        end: (signal) => endOf(child, signal),
      }
    },
    /** A request that may fail: without a response, or with a status other than 200. */
    send: async (
      address: string,
      method: 'GET' | 'POST' | 'PUT' | 'DELETE',
      path: string,
      body?: object,
    ) => {
      const response = await fetch(address + path, {
        method,
        // A request without a body has no content type.
        headers: body ? headers : { authorization: headers.authorization },
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: response.status, text: await response.text() }
    },
    /** A request that must succeed. */
    call: async (address: string, path: string, body?: object) => {
      const response = await fetch(address + path, {
        headers,
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
      const text = await response.text()
      expect(response.status, text).toBe(200)
      return JSON.parse(text)
    },
    close: async (): Promise<void> => {
      await Promise.all([...running].map((child) => endOf(child, 'SIGKILL')))
      await rm(folder, { recursive: true })
    },
  }
}
