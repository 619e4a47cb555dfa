import { readFile } from 'node:fs/promises'
import { messages, PGlite } from '@electric-sql/pglite'
import { citext } from '@electric-sql/pglite/contrib/citext'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import {
  bindMigrationAwareSqlAdapterFactory,
  DriverAdapterError,
  type SqlDriverAdapter,
} from '@prisma/driver-adapter-utils'
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg'
import * as prisma from '@prisma/schema-engine-wasm/schema_engine_bg'
import { PrismaPGlite } from 'pglite-prisma-adapter'

// A Node global that TypeScript declares only in the DOM library.
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ readonly instance: { readonly exports: object } }>
}

// Instantiate explicitly: importing a .wasm file warns on Node 24 and needs a flag before 24.5.
const { instance } = await WebAssembly.instantiate(
  await readFile(
    new URL('schema_engine_bg.wasm', import.meta.resolve('@prisma/schema-engine-wasm')),
  ),
  { './schema_engine_bg.js': prisma },
)
prisma.__wbg_set_wasm(instance.exports)
// Safe: wasm-bindgen exports this function, and its own loader calls it. A .wasm file has no types.
;(instance.exports as { __wbindgen_start(): void }).__wbindgen_start()

/** One file of a Prisma schema: its path, used in error messages, and its text. */
export type SchemaFile = { readonly path: string; readonly content: string }

/**
 * The SQL that changes a database created by `migrations` to `schema`; empty if they are equal. Prisma's
 * schema engine compares them on a temporary in-memory PostgreSQL.
 * @throws Error with the engine's message if a migration fails or the schema is invalid
 */
export async function sqlFromMigrationsToSchema(
  migrations: MigrationList,
  schema: readonly SchemaFile[],
): Promise<string> {
  // The extensions that the embedded server and standard PostgreSQL distributions include.
  await using database = new PGlite({ extensions: { citext, pg_trgm } })
  // The engine only reads the version of the "live" database, so one database can be both.
  const connect = () => connectTo(database)
  const engine = await prisma.SchemaEngine.new(
    { datamodels: undefined },
    () => {}, // the engine's log
    bindMigrationAwareSqlAdapterFactory({
      provider: 'postgres',
      adapterName: 'pglite',
      connect,
      connectToShadowDb: connect,
    }),
  )
  try {
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'migrations', ...migrations },
      to: { tag: 'schemaDatamodel', files: [...schema] },
      script: true,
      exitCode: true,
      filters: { externalTables: [], externalEnums: [] },
    })
    return exitCode === 0 ? '' : (stdout ?? '')
  } finally {
    engine.free()
  }
}

/** The adapter of pglite-prisma-adapter with an `executeScript` that waits for the script to finish. */
async function connectTo(database: PGlite): Promise<SqlDriverAdapter> {
  const adapter = await new PrismaPGlite(database).connect()
  adapter.executeScript = async (script) => {
    try {
      await database.exec(script)
    } catch (error) {
      throw error instanceof messages.DatabaseError ? toDriverError(error) : error
    }
  }
  return adapter
}

/** Converts an error to the engine's form: PostgreSQL's message with the migration's name. */
function toDriverError(error: messages.DatabaseError): DriverAdapterError {
  const { code, severity, message, detail, column, hint } = error
  return new DriverAdapterError({
    kind: 'postgres',
    code: code ?? 'N/A',
    severity: severity ?? 'N/A',
    message,
    detail,
    column,
    hint,
  })
}
