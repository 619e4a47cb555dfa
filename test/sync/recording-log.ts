/** Setup shared by the test engines and those in child processes. */

import { inspect } from 'node:util'
import type { Log } from '../../src/log.ts'

/** A log that keeps all its lines. */
export const createRecordingLog = (): Log & { readonly lines: string[] } => {
  const lines: string[] = []
  const keep = (level: string) => (facts: object, message: string) =>
    void lines.push(`${level} ${message} ${inspect(facts, { depth: 8 })}`)
  return {
    lines,
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
  }
}

/** Shortens the pauses of the outbound client for tests. */
export const quickClient = { firstPauseMs: 1, maxPauseMs: 5, deadlineMs: 2000, breakAfter: 1000 }
