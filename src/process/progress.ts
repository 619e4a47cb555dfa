/** The progress of a start, as lines for a person. */
import type { Config } from './config.ts'

/** Reports the step that begins: `Starting PostgreSQL`. */
export type Progress = (step: string) => void

export const silentProgress: Progress = () => {}

/** Prints each step, unless standard output is the log, which contains only JSON lines. */
export const createProgress = ({ logFile }: Pick<Config, 'logFile'>): Progress =>
  logFile === undefined && !process.stdout.isTTY
    ? silentProgress
    : (step) => console.log(`${step} …`)
