/**
 * A Markdown page with its section between `<!-- begin generated: name -->` and `<!-- end generated: name -->` replaced.
 * @throws Error if the page has no such section
 */
export const replaceSection = (page: string, name: string, text: string): string => {
  const begin = `<!-- begin generated: ${name} -->\n`
  const end = `\n<!-- end generated: ${name} -->`
  const from = page.indexOf(begin)
  const to = page.indexOf(end, from)
  if (from === -1 || to === -1) throw new Error(`The page has no generated section ${name}.`)
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`
}
