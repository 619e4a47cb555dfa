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

// Node's own, which TypeScript declares in the library of browsers alone.
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ readonly instance: { readonly exports: object } }>
}

// Instantiated by hand: importing a .wasm file warns on Node 24 and needs a flag before 24.5.
const { instance } = await WebAssembly.instantiate(
  await readFile(
    new URL('schema_engine_bg.wasm', import.meta.resolve('@prisma/schema-engine-wasm')),
  ),
  { './schema_engine_bg.js': prisma },
)
prisma.__wbg_set_wasm(instance.exports)
// The one export of wasm-bindgen that its own loader calls too; untyped in the .wasm itself.
;(instance.exports as { __wbindgen_start(): void }).__wbindgen_start()

/** One file of a Prisma schema: its path, for the messages of the engine, and its text. */
export type SchemaFile = { readonly path: string; readonly content: string }

/**
 * The SQL that brings a database made by `migrations` to `schema`; '' when they already agree.
 * Prisma's own schema engine judges, on an empty in-memory PostgreSQL that is gone afterwards.
 * @throws Error with the engine's message: a migration that does not apply, a schema that is wrong
 */
export async function sqlFromMigrationsToSchema(
  migrations: MigrationList,
  schema: readonly SchemaFile[],
): Promise<string> {
  // The extensions that both the embedded server and any stock PostgreSQL carry.
  await using database = new PGlite({ extensions: { citext, pg_trgm } })
  // The engine asks the "live" database for its version only, so one database serves as both.
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

/** The adapter of pglite-prisma-adapter, whose own `executeScript` does not wait for the script. */
async function connectTo(database: PGlite): Promise<SqlDriverAdapter> {
  const adapter = await new PrismaPGlite(database).connect()
  adapter.executeScript = async (script) => {
    try {
      await database.exec(script)
    } catch (error) {
      throw error instanceof messages.DatabaseError ? asDriverError(error) : error
    }
  }
  return adapter
}

/** In this form the engine shows what PostgreSQL said, with the name of the migration. */
function asDriverError(error: messages.DatabaseError): DriverAdapterError {
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
