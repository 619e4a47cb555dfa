/** The process that listens on a TCP port, for the error message about a taken port. */
import { readdir, readFile, readlink } from 'node:fs/promises'
import { basename } from 'node:path'

const LISTEN = '0A' // TCP_LISTEN, include/net/tcp_states.h

/**
 * A process that listens on a TCP port: `node src/cli.ts (process 4711)`. Undefined if none does, for processes of
 * other users unless this one is root, and on systems other than Linux, which have no /proc.
 */
export const describePortOwner = async (port: number): Promise<string | undefined> => {
  if (process.platform !== 'linux') return undefined
  const sockets = await readListeners(port)
  const pid = await findSocketOwner(sockets)
  return pid && `${await readCommand(pid)} (process ${pid})`
}

/** The links of the sockets that listen on a port. @see https://docs.kernel.org/networking/proc_net_tcp.html */
const readListeners = async (port: number): Promise<ReadonlySet<string>> => {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => '')),
  )
  const sockets = tables
    .join('\n')
    .split('\n')
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
      const isListener = state === LISTEN && Number.parseInt(local.split(':')[1] ?? '', 16) === port
      return isListener ? [`socket:[${inode}]`] : []
    })
  return new Set(sockets)
}

const findSocketOwner = async (sockets: ReadonlySet<string>): Promise<string | undefined> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    // A process may end before it is read, or belong to another user.
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => [])
    for (const descriptor of descriptors)
      if (sockets.has(await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => ''))) return pid
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
