/** The migrations produce the Prisma schema, and so does a migration that the tool writes. */
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrationDrift, newMigration } from '../../tools/migration.ts'

const TIMEOUT_MS = 60_000 // each comparison starts a PostgreSQL in WebAssembly: 1–3 s when idle

test('the migrations produce exactly the schema', { timeout: TIMEOUT_MS }, async () => {
  const drift = await migrationDrift()
  expect(
    drift,
    `prisma/migrations lacks the SQL below; write it with: npm run migration new <name>\n${drift}`,
  ).toBe('')
})

describe('a migration written by the tool', { timeout: TIMEOUT_MS }, () => {
  let migrationsFolder: string
  let path: string | undefined

  beforeAll(async () => {
    migrationsFolder = await mkdtemp(join(tmpdir(), 'trunkline-migrations-'))
    path = await newMigration('First tables', { migrationsFolder, schema: schemaWith() })
    if (path !== undefined) await appendFile(path, HAND_WRITTEN_SQL)
  }, TIMEOUT_MS)
  afterAll(() => rm(migrationsFolder, { recursive: true }))

  test('has a folder that the Prisma CLI accepts', async () => {
    expect(path).toMatch(/\/\d{14}_first_tables\/migration\.sql$/)
    const lock = await readFile(join(migrationsFolder, 'migration_lock.toml'), 'utf8')
    expect(lock).toContain('provider = "postgresql"')
  })

  test('leaves nothing to migrate, including SQL that Prisma cannot express', async () => {
    const sources = { migrationsFolder, schema: schemaWith() }
    expect(await migrationDrift(sources)).toBe('')
    expect(await newMigration('again', sources)).toBe(undefined)
    expect(await readdir(migrationsFolder)).toHaveLength(2)
  })

  test('may build an index concurrently', async () => {
    const added = join(migrationsFolder, '29990101000000_index')
    await mkdir(added)
    await writeFile(
      join(added, 'migration.sql'),
      'CREATE INDEX CONCURRENTLY "by_amount" ON "accounting_vendor"("amount");',
    )
    try {
      expect(await migrationDrift({ migrationsFolder, schema: schemaWith() })).toContain(
        'DROP INDEX "by_amount"',
      )
    } finally {
      await rm(added, { recursive: true })
    }
  })

  test('differs from a schema with one more column', async () => {
    const schema = schemaWith({ column: 'added String?' })
    expect(await migrationDrift({ migrationsFolder, schema })).toContain(
      'ALTER TABLE "accounting_vendor" ADD COLUMN     "added" TEXT;',
    )
  })

  test('creates decimals of any length, and differs from a schema that limits them', async () => {
    expect(await readFile(path ?? '', 'utf8')).toContain('"amount" DECIMAL,')
    const schema = schemaWith({ amount: '@db.Decimal(65, 30)' })
    expect(await migrationDrift({ migrationsFolder, schema })).toContain(
      'ALTER COLUMN "amount" SET DATA TYPE DECIMAL(65,30);',
    )
  })
})

/** Two schema files that refer to each other, with every column type in use. */
function schemaWith({ column = '', amount = '@db.Decimal' } = {}) {
  return [
    {
      path: 'schema.prisma',
      content: `
        datasource db { 
          provider = "postgresql" 
        }
        model Credential {
          id        String   @id @default(uuid()) @db.Uuid
          createdAt DateTime @default(now()) @map("created_at") @db.Timestamptz(3)
          vendors   Vendor[]
          @@map("credential")
        }`,
    },
    {
      path: 'resources.prisma',
      content: `
        model Vendor {
          credentialId String     @map("credential_id") @db.Uuid
          id           String
          amount       Decimal?   ${amount}
          categoryIds  String[]   @map("category_ids") @db.Uuid
          addresses    Json?
          xid          Unsupported("xid8") @default(dbgenerated("pg_current_xact_id()"))
          credential   Credential @relation(fields: [credentialId], references: [id])
          ${column}
          @@id([credentialId, id])
          @@map("accounting_vendor")
        }`,
    },
  ]
}

const HAND_WRITTEN_SQL = `
CREATE EXTENSION pg_trgm;
CREATE SCHEMA internal;
CREATE TABLE internal.log (id bigserial PRIMARY KEY, xid xid8 NOT NULL, amount numeric);
CREATE FUNCTION log_vendor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO internal.log (xid, amount) VALUES (pg_current_xact_id(), NEW.amount);
  RETURN NEW;
END $$;
CREATE TRIGGER log_vendor AFTER INSERT ON accounting_vendor
  FOR EACH ROW EXECUTE FUNCTION log_vendor();
CREATE VIEW vendor_amount AS SELECT id, amount FROM accounting_vendor;
CREATE INDEX vendor_with_amount ON accounting_vendor (id) WHERE amount IS NOT NULL;
CREATE INDEX vendor_lower_id ON accounting_vendor (lower(id));
ALTER TABLE accounting_vendor ADD CONSTRAINT vendor_id_filled CHECK (id <> '');
`
