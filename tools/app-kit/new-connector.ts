/** Creates the folder of a new connector from the template. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const TEMPLATE = join(import.meta.dirname, 'template')
// The order of imports is checked, and the shorter path sorts as the longer one.
const TEMPLATE_IMPORT = '../../../src/'
const CONNECTOR_IMPORT = '../../'

/** The name of the app for people: `harbour-light` is `Harbour Light`. */
const displayName = (app: string): string =>
  app
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')

/** The texts of the files of a new connector, by name. */
export const connectorFiles = (app: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(TEMPLATE).map((file) => [
      file,
      readFileSync(join(TEMPLATE, file), 'utf8')
        .replaceAll(TEMPLATE_IMPORT, CONNECTOR_IMPORT)
        .replaceAll("'template'", `'${app}'`)
        .replaceAll('Template', displayName(app)),
    ]),
  )

/**
 * Writes the folder of a new connector.
 * @param root the folder of the project
 * @returns the paths of the files, relative to the root
 * @throws Error if the name is not usable or the folder exists
 */
export const writeConnector = (root: string, app: string): readonly string[] => {
  if (!/^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/.test(app))
    throw new Error(
      `The name of an app has lower-case letters, digits and hyphens, such as harbour-light: ${app}`,
    )
  const folder = join('src/connectors', app)
  if (existsSync(join(root, folder))) throw new Error(`${folder} exists already.`)
  mkdirSync(join(root, folder), { recursive: true })
  return Object.entries(connectorFiles(app)).map(([file, text]) => {
    const path = join(folder, file)
    writeFileSync(join(root, path), text)
    return path
  })
}
