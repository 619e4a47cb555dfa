/** Milliseconds of a monotonic clock shared by all processes of the machine. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6
