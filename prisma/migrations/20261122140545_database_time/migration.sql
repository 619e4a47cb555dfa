-- Prisma's client fills in columns whose default is now() itself, by the clock of its host. Columns with another
-- default are left to the database. Earlier versions go on writing their own times.
-- AlterTable
ALTER TABLE "api_keys" ALTER COLUMN "created_at" SET DEFAULT clock_timestamp();

-- AlterTable
ALTER TABLE "credentials" ALTER COLUMN "created_at" SET DEFAULT clock_timestamp(),
ALTER COLUMN "updated_at" SET DEFAULT clock_timestamp();

-- AlterTable
ALTER TABLE "end_users" ALTER COLUMN "created_at" SET DEFAULT clock_timestamp();

-- AlterTable
ALTER TABLE "environments" ALTER COLUMN "created_at" SET DEFAULT clock_timestamp();

-- AlterTable
ALTER TABLE "idempotent_requests" ALTER COLUMN "started_at" SET DEFAULT clock_timestamp();

-- AlterTable
ALTER TABLE "installations" ALTER COLUMN "created_at" SET DEFAULT clock_timestamp();

-- AlterTable
ALTER TABLE "installed_workflows" ALTER COLUMN "active_since" SET DEFAULT clock_timestamp();

-- AlterTable
ALTER TABLE "integrations" ALTER COLUMN "created_at" SET DEFAULT clock_timestamp(),
ALTER COLUMN "updated_at" SET DEFAULT clock_timestamp();

-- AlterTable
ALTER TABLE "organisations" ALTER COLUMN "created_at" SET DEFAULT clock_timestamp();

-- AlterTable
ALTER TABLE "purges" ALTER COLUMN "deleted_at" SET DEFAULT clock_timestamp(),
ALTER COLUMN "due_at" SET DEFAULT clock_timestamp();

-- AlterTable
ALTER TABLE "signing_keys" ALTER COLUMN "created_at" SET DEFAULT clock_timestamp();

-- AlterTable
ALTER TABLE "sync_states" ALTER COLUMN "due_at" SET DEFAULT clock_timestamp();

-- AlterTable
ALTER TABLE "webhook_attempt_batches" ALTER COLUMN "saved_at" SET DEFAULT clock_timestamp();

-- AlterTable
ALTER TABLE "webhook_replays" ALTER COLUMN "created_at" SET DEFAULT clock_timestamp();

-- AlterTable
ALTER TABLE "webhook_subscriptions" ALTER COLUMN "created_at" SET DEFAULT clock_timestamp(),
ALTER COLUMN "updated_at" SET DEFAULT clock_timestamp();

-- AlterTable
ALTER TABLE "workflow_links" ALTER COLUMN "updated_at" SET DEFAULT clock_timestamp();

-- AlterTable
ALTER TABLE "workflow_runs" ALTER COLUMN "due_at" SET DEFAULT clock_timestamp(),
ALTER COLUMN "created_at" SET DEFAULT clock_timestamp();

-- AlterTable
ALTER TABLE "workflow_versions" ALTER COLUMN "created_at" SET DEFAULT clock_timestamp();
