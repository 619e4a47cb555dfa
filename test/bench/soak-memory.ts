/** Loaded into the service by `--import`: answers each message with its memory after a garbage collection. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** In MB. */
export interface Memory {
  readonly rss: number
  readonly heap: number
  /** Outside of the heap: buffers and native memory of objects. */
  readonly external: number
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

process.on('message', () => {
  collectGarbage()
  const { rss, heapUsed, external } = process.memoryUsage()
  const bytesToMb = (bytes: number): number => bytes / 2 ** 20
  process.send?.({
    rss: bytesToMb(rss),
    heap: bytesToMb(heapUsed),
    external: bytesToMb(external),
  } satisfies Memory)
})
// The open channel must not keep the service alive.
process.channel?.unref()
