const MAX_LINE_WIDTH = 100

const oneLine = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const pairs = Object.entries(value).map(
    ([key, entry]) => `${JSON.stringify(key)}: ${oneLine(entry)}`,
  )
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

/** Formats JSON for readers and diffs: a value is on one line if it fits. */
export const printJson = (value: unknown, indent = '', before = 0): string => {
  const line = oneLine(value)
  if (indent.length + before + line.length < MAX_LINE_WIDTH) return line
  const deeper = `${indent}  `
  if (Array.isArray(value)) {
    const entries = value.map((entry) => deeper + printJson(entry, deeper))
    return `[\n${entries.join(',\n')}\n${indent}]`
  }
  if (typeof value !== 'object' || value === null) return line
  const pairs = Object.entries(value).map(([key, entry]) => {
    const name = `${JSON.stringify(key)}: `
    return deeper + name + printJson(entry, deeper, name.length)
  })
  return `{\n${pairs.join(',\n')}\n${indent}}`
}
