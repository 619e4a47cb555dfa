/** The process that listens on a TCP port, for the error message about a taken port. */
import { readdir, readFile, readlink } from 'node:fs/promises'
import { BlockList, isIP } from 'node:net'
import { basename } from 'node:path'

const LISTEN = '0A' // TCP_LISTEN, include/net/tcp_states.h
const WILDCARDS = ['0.0.0.0', '::']

interface Listener {
  readonly address: string
  readonly uid: string
  readonly inode: string
}

/**
 * The process that listens on a TCP port: `node src/cli.ts (process 4711)`. Undefined if none does, and on
 * systems other than Linux, which have no /proc.
 *
 * @param host the requested address; by default any
 */
export const describePortOwner = async (
  port: number,
  host?: string,
): Promise<string | undefined> => {
  if (process.platform !== 'linux') return undefined
  const listeners = await readListeners(port)
  const conflicting = listeners.filter(({ address }) => collides(address, host))
  for (const { inode } of conflicting) {
    const pid = await findSocketOwner(inode)
    if (pid !== undefined) return `${await readCommand(pid)} (process ${pid})`
  }
  // Only root can read the processes of other users.
  const [first] = conflicting
  return first && `a process of the user with uid ${first.uid}`
}

/** @see https://docs.kernel.org/networking/proc_net_tcp.html */
const readListeners = async (port: number): Promise<Listener[]> => {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => '')),
  )
  return tables.flatMap((table) =>
    table.split('\n').flatMap((line) => {
      const [, local = '', , state, , , , uid = '', , inode = ''] = line.trim().split(/\s+/)
      const [address = '', hexPort = ''] = local.split(':')
      const isListener = state === LISTEN && Number.parseInt(hexPort, 16) === port
      return isListener ? [{ address: parseAddress(address), uid, inode }] : []
    }),
  )
}

/** Parses an address of /proc: 32-bit words in the byte order of the machine, e.g. 0100007F for 127.0.0.1. */
const parseAddress = (hex: string): string => {
  const bytes = Buffer.from(hex, 'hex')
  if (new Uint8Array(new Uint32Array([1]).buffer)[0] === 1) bytes.swap32()
  if (bytes.length === 4) return bytes.join('.')
  const address = bytes.toString('hex').match(/.{4}/g)?.join(':') ?? ''
  return /^[0:]+$/.test(address) ? '::' : address
}

const collides = (address: string, host: string | undefined): boolean => {
  if (host === undefined || isIP(host) === 0) return true
  if (WILDCARDS.includes(host) || WILDCARDS.includes(address)) return true
  const hosts = new BlockList()
  hosts.addAddress(host, isIP(host) === 6 ? 'ipv6' : 'ipv4')
  return hosts.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

const findSocketOwner = async (inode: string): Promise<string | undefined> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    // A process may end before it is read, or belong to another user.
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => [])
    for (const descriptor of descriptors) {
      const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '')
      if (target === `socket:[${inode}]`) return pid
    }
  }
  return undefined
}

/** The program and its arguments up to the first option; options may contain a password. */
const readCommand = async (pid: string): Promise<string> => {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  const [program = '', ...args] = commandLine.split('\0').filter((word) => word !== '')
  const firstOption = args.findIndex((word) => word.startsWith('-'))
  const words = firstOption === -1 ? args : args.slice(0, firstOption)
  return [basename(program), ...words].join(' ').slice(0, 100) || 'a process'
}
