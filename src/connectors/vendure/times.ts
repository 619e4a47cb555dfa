/** Vendure's instants: ISO 8601 with milliseconds and `Z`, so their texts compare as they do. */

const DAY_MS = 86_400_000

const moved = (instant: string, ms: number): string =>
  new Date(Date.parse(instant) + ms).toISOString()

/** An instant some days before another. */
export const daysBefore = (instant: string, days: number): string => moved(instant, -days * DAY_MS)

/** Matches what `{ after: instant }` does not: Vendure's `before` leaves the instant itself out. */
export const notAfter = (instant: string) => ({ before: moved(instant, 1) })

/** The latest of some instants; those that are none are left out. */
export const latestOf = (instants: readonly unknown[]): string | undefined =>
  instants
    .filter((instant) => typeof instant === 'string')
    .sort()
    .at(-1)
