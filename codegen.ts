/**
 * Generates the files derived from the definitions: `node codegen.ts`. With `--check` it writes nothing and
 * exits with 1 if a file is stale.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { browserModules } from './codegen/browser.ts'
import { fidelityTablesSource } from './codegen/fidelity-tables.ts'
import { fieldTablesSource } from './codegen/field-tables.ts'
import { schemaSource } from './codegen/graphql.ts'
import { guideSource } from './codegen/guide.ts'
import { openapiSource } from './codegen/openapi.ts'
import { prismaSource } from './codegen/prisma.ts'
import { readmeSource } from './codegen/readme.ts'
import { registrySources } from './codegen/registry.ts'
import { sdkTypesSource } from './codegen/sdk-types.ts'

const root = import.meta.dirname

const readIfExists = (path: string): string | undefined => {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    // The file does not exist yet.
    return undefined
  }
}

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** The paths of the files whose text differs. */
const findStale = (files: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(files)
    .filter(([path, text]) => readIfExists(path) !== text)
    .map(([path]) => path)

/** Writes the files whose text differs. */
const refresh = (files: Readonly<Record<string, string>>): void => {
  for (const path of findStale(files)) write(path, files[path] ?? '')
}

/** The pages of docs/ with generated tables, by path relative to the root. */
const generatePages = async (): Promise<Readonly<Record<string, string>>> => {
  // Imported dynamically, because the file may not exist before this run writes it.
  const { catalogue, connectors } = await import('./src/generated/registry.ts')
  return {
    'docs/apps.md': fidelityTablesSource(
      readIfExists('docs/apps.md') ?? '',
      root,
      catalogue,
      connectors,
    ),
    'docs/fields.md': fieldTablesSource(
      readIfExists('docs/fields.md') ?? '',
      catalogue,
      connectors,
    ),
  }
}

/** The text of every other generated file, by path relative to the root. */
const generateFiles = async (): Promise<Readonly<Record<string, string>>> => {
  const { catalogue } = await import('./src/generated/catalogue.ts')
  return {
    'README.md': readmeSource(readIfExists('README.md') ?? '', catalogue),
    'prisma/resources.prisma': prismaSource(catalogue.resources),
    'src/generated/guide.ts': guideSource(root),
    'src/generated/schema.graphql': schemaSource(catalogue),
    'src/generated/openapi.json': openapiSource(catalogue),
    'src/generated/sdk-types.ts': sdkTypesSource(catalogue),
    ...browserModules(root),
  }
}

/** The paths of the generated files that do not match the definitions. */
export const listStaleFiles = async (): Promise<readonly string[]> => {
  const sources = findStale(registrySources(root))
  if (sources.length > 0) return sources
  // The guide contains the pages, so the pages are written first.
  const pages = findStale(await generatePages())
  return pages.length > 0 ? pages : findStale(await generateFiles())
}

if (import.meta.main) {
  if (process.argv.includes('--check')) {
    const stale = await listStaleFiles()
    for (const path of stale) console.error(`${path} is stale. Run npm run codegen.`)
    process.exitCode = stale.length > 0 ? 1 : 0
  } else {
    refresh(registrySources(root))
    refresh(await generatePages())
    refresh(await generateFiles())
  }
}
