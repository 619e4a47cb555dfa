/** The nearest known name, for error messages about unknown names. */

const editDistance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++)
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1),
        ),
      )
    previous = current
  }
  return previous[b.length] ?? 0
}

// Callers choose the name, and the time grows with its length.
const MAX_LENGTH = 64

/** The name among `names` with the smallest edit distance to `name`; undefined if there are none. */
export const nearest = (name: string, names: Iterable<string>): string | undefined => {
  const start = name.slice(0, MAX_LENGTH)
  return [...names]
    .map((candidate) => ({ candidate, distance: editDistance(start, candidate) }))
    .sort((a, b) => a.distance - b.distance)[0]?.candidate
}
