-- AlterTable
ALTER TABLE "credentials" ADD COLUMN     "check_failure" TEXT,
ADD COLUMN     "label" TEXT,
ADD COLUMN     "paused_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "sync_states" ADD COLUMN     "failing_since" TIMESTAMPTZ(3);
