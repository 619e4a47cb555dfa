/** How a process stops: in the reverse order of its start. */
import type { Logger } from 'pino'
import { closeLog } from './log.ts'

export type Shutdown = ReturnType<typeof createShutdown>

/** Steps to stop, newest first: each is run even if another fails. */
export const createShutdown = (log: Logger) => {
  const steps: { readonly name: string; readonly stop: () => Promise<void> }[] = []
  return {
    add: (name: string, stop: () => Promise<void>): void => void steps.unshift({ name, stop }),
    run: async (): Promise<void> => {
      for (const { name, stop } of steps.splice(0))
        try {
          await stop()
        } catch (error) {
          log.error({ err: error, step: name }, 'failed to stop')
        }
      log.info('stopped')
      await closeLog(log)
    },
  }
}
