import type { Catalogue } from '../src/definition/catalogue.ts'

const LINE = /^\d+ resources: .*$/m

/**
 * The README with its list of resources brought up to date: `2 resources: crm `accounts leads`.`
 * @throws Error if it has no such line
 */
export const readmeSource = (readme: string, { resources }: Catalogue): string => {
  if (!LINE.test(readme)) throw new Error('The README has no line that starts with "N resources:".')
  const categories = Map.groupBy(resources, ({ category }) => category)
  const lists = [...categories].map(([category, members]) => {
    const paths = members.map(({ restPath }) => restPath.slice(`/${category}/`.length))
    return `${category} \`${paths.join(' ')}\``
  })
  return readme.replace(LINE, `${resources.length} resources: ${lists.join(', ')}.`)
}
