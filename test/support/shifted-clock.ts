/**
 * Shifts the clock that a process sees: `node --import shifted-clock.ts`. `Date` is off by CLOCK_SHIFT_MS; a
 * parent process changes the shift at run time with the message `{ clockShiftMs }`.
 */
import { fileURLToPath } from 'node:url'

const HostDate = Date
let shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0)
const nowMs = (): number => HostDate.now() + shiftMs

const ShiftedDate = new Proxy(HostDate, {
  construct: (target, input, newTarget) =>
    Reflect.construct(target, input.length === 0 ? [nowMs()] : input, newTarget),
  apply: () => new HostDate(nowMs()).toString(),
  get: (target, name) => (name === 'now' ? nowMs : Reflect.get(target, name)),
})

/** The Node arguments and environment variables of a process whose clock is off by `ms`. */
export const clockShiftOptions = (ms: number) => ({
  execArgv: ['--import', fileURLToPath(import.meta.url)],
  env: { ...process.env, CLOCK_SHIFT_MS: String(ms) },
})

// Only in a process that runs with --import, not in a test that imports this module.
if (process.env.CLOCK_SHIFT_MS !== undefined) {
  globalThis.Date = ShiftedDate
  HostDate.prototype.constructor = ShiftedDate
  process.on('message', (message: { readonly clockShiftMs?: number }) => {
    if (message.clockShiftMs === undefined) return
    shiftMs = message.clockShiftMs
    process.send?.('shifted')
  })
}
